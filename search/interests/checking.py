"""The sets in the register of serving copies."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from redistools.client import get_client
from redistools.copies import described
from redistools.scripts import Batch
from redistools.serving_copy import Difference, Row, Store

from . import sets
from .sets import MARK, Term


@dataclass(frozen=True, kw_only=True)
class TermSets(Store):
    terms: Callable[[Row], Sequence[Term]]

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        """One round trip; a query for each term that Redis knows."""
        asked = [(row, term) for row in rows for term in self.terms(row)]
        batch = Batch(get_client())
        for _, term in asked:
            for partition in sets.partitions():
                batch.add("SMEMBERS", sets.name_of(partition, term))
        answers = iter(batch.run())
        for row, term in asked:
            held = {it: {*map(int, next(answers))} for it in sets.partitions()}
            yield from self._compared(row, term, {it: some for it, some in held.items() if some})

    def _compared(self, row: Row, term: Term, held: dict[int, set[int]]) -> Iterator[Difference]:
        expected = sets.in_sql(term) if held else {}
        for partition, numbers in held.items():
            wanted = {MARK, *expected.get(partition, ())}
            missing, extra = (
                [sets.user_of(it, partition) for it in some]
                for some in (wanted - numbers, numbers - wanted)
            )
            if wrong := described(missing=missing, extra=extra):
                what = f"{self.title(row)}, {term} in partition {partition}: {wrong}"
                yield Difference(what, partial(sets.forget, [term]))

    def forget(self, rows: Iterable[Row]) -> None:
        """Also what is being read from SQL."""
        sets.forget([term for row in rows for term in self.terms(row)])


def names_of(terms: Iterable[Term]) -> list[str]:
    return [sets.name_of(it, term) for term in terms for it in sets.partitions()]
