"""The common kinds of serving copies, and how they are compared with SQL: hashes, loaded sets."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from . import loaded_set
from .client import get_client
from .loaded_set import Loaded
from .scripts import Batch
from .serving_copy import Difference, Row, Scope, Store, register


@dataclass(frozen=True, kw_only=True)
class Hashes(Store):
    in_sql: Callable[[Sequence[Row]], Sequence[object]]  # what each row should have
    label: str = "hash"
    read_by: ClassVar[str] = "HGETALL"

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        batch = Batch(get_client())
        for row in rows:
            (name,) = self.names(row)
            batch.add(self.read_by, name)
        for row, held, wanted in zip(rows, batch.run(), self.in_sql(rows), strict=True):
            if held and held != wanted:
                what = f"{self.title(row)} differs from SQL"
                yield Difference(what, partial(self.rebuild, [row], also_unread=True))


@dataclass(frozen=True, kw_only=True)
class Strings(Hashes):
    label: str = ""
    read_by: ClassVar[str] = "GET"


@dataclass(frozen=True, kw_only=True)
class LoadedSets(Store):
    # The sets as they should be, by key, without keys that should not exist. For a trimmed set, a
    # few more members than Redis may hold (`loaded_set.most`).
    in_sql: Callable[[Row], Mapping[str, Loaded]]
    # Which of the extra members readers drop by themselves.
    harmless: Callable[[Collection[int]], Collection[int]] = lambda _ids: ()

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        for row in rows:
            yield from self._differences_of(row)

    def _differences_of(self, row: Row) -> Iterator[Difference]:
        names = self.sets(row)
        held = loaded_set.contents(get_client(), names)
        expected = self.in_sql(row) if held else {}
        for partition, name in enumerate(names):
            if name in held and (wrong := self._compare(held[name], expected.get(name))):
                where = f" in partition {partition}" if len(names) > 1 else ""
                what = f"{self.title(row)}{where}: {wrong}"
                yield Difference(what, partial(self.repair, row, name))

    def agree(self, held: int, expected: int) -> bool:
        return held == expected

    def sets(self, row: Row) -> Sequence[str]:
        return self.names(row)

    def repair(self, row: Row, name: str) -> None:  # noqa: ARG002 - others need to know whose it is
        """Makes the set unknown, which is better than wrong: its next reader loads it."""
        get_client().unlink(name)

    def _compare(self, held: Loaded, expected: Loaded | None) -> str:
        if expected is None:
            return "should not be there"
        if held.whole and not expected.whole:
            return "looks whole, but is not"
        floor = 0 if held.whole else min(held.scores.values())
        wanted = {member: at for member, at in expected.scores.items() if at >= floor}
        extra = held.scores.keys() - wanted.keys()
        both = held.scores.keys() & wanted.keys()
        # A trim may cut between members of one score.
        needed = {member for member, at in wanted.items() if at > floor}
        return described(
            missing=needed - held.scores.keys(),
            extra=extra - set(self.harmless(extra)) if extra else extra,
            moved=[it for it in both if not self.agree(held.scores[it], wanted[it])],
        )


class SetRow(NamedTuple):
    """A kind of loaded set of which each row of a table has one, by its id."""

    kind: str
    key: Callable[[int], str]
    in_sql: Callable[..., Loaded]
    cap: int | None = None  # the most members it keeps; then `in_sql` takes a `limit`

    def load(self, rows: Sequence[Row]) -> None:
        """Two round trips for all, if nobody writes to them meanwhile."""
        ids = {self.key(row.pk): row.pk for row in rows}
        loaded_set.load_many(
            get_client(), ids, lambda names: {name: self.in_sql(ids[name]) for name in names}
        )

    def expected(self, row: Row) -> dict[str, Loaded]:
        limit = {"limit": loaded_set.most(self.cap)} if self.cap else {}
        return {self.key(row.pk): self.in_sql(row.pk, **limit)}

    def names(self, row: Row) -> list[str]:
        return [self.key(row.pk)]


def register_sets(about: Scope, *sets: SetRow, **options: Any) -> None:
    for it in sets:
        options |= {"kind": it.kind, "names": it.names, "load": it.load, "in_sql": it.expected}
        register(LoadedSets(about=about, **options))


def described(
    *, missing: Collection[int], extra: Collection[int], moved: Collection[int] = ()
) -> str:
    """For people: `2 missing (5, 7); 1 too many (9)`. Empty if nothing is wrong."""
    parts = [(missing, "missing"), (extra, "too many"), (moved, "with a wrong score")]
    return "; ".join(f"{len(ids)} {how} ({_some(ids)})" for ids, how in parts if ids)


def _some(ids: Collection[int]) -> str:
    return ", ".join(map(str, sorted(ids)[:3])) + (" …" if len(ids) > 3 else "")
