"""What a query asks an index for. Every engine gets the same."""

from collections.abc import Sequence
from typing import NamedTuple

from statuses.words.terms import Place, QueryTerms


class Wanted(NamedTuple):
    """One of each of the needed, none of the refused."""

    needed: tuple[tuple[QueryTerms, ...], ...]
    refused: tuple[QueryTerms, ...] = ()

    def fits(self, document: Sequence[Place]) -> bool:
        """Verifies what an index found: it may be behind, or give more than it is asked for."""
        if any(it.stand_in(document) for it in self.refused):
            return False
        return all(any(it.stand_in(document) for it in some) for some in self.needed)

    @property
    def surely_refused(self) -> tuple[QueryTerms, ...]:
        """Single terms. Of several in a row an index says more than there are: `fits` refuses."""
        return tuple(it for it in self.refused if len(it.terms) == 1)

    @property
    def is_simple(self) -> bool:
        """Are posts that fit perhaps so many that the newest are found by walking?"""
        only_one = len(self.needed) == 1 and all(len(it.terms) == 1 for it in self.needed[0])
        return only_one or bool(self.refused)


class Bounds(NamedTuple):
    """Ids, both exclusive."""

    above: int
    below: int
