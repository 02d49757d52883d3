"""Searches that a stream follows. What a search is, an app above us says: it registers itself in a
module `live_searches.py`.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Protocol

from django.utils.module_loading import autodiscover_modules

from statuses.models import StatusQuerySet
from statuses.stored import StoredStatus
from statuses.words.terms import Place
from users.models import User


class CutStatus(NamedTuple):
    """A status, cut once for all searches. What fits has one of a search's anchors."""

    document: Sequence[Place]
    anchors: frozenset[str]


class LiveSearch(Protocol):
    @property
    def anchors(self) -> frozenset[str]: ...

    def fits(self, document: Sequence[Place]) -> bool: ...


class Searching(Protocol):
    def read(self, query: str, *, reader: User) -> LiveSearch:
        """Raises Refusal, also for what can't be live."""

    def cut(self, status: StoredStatus) -> CutStatus: ...

    def findable(self, rows: StatusQuerySet) -> StatusQuerySet: ...


_registered: list[Searching] = []


def register(searching: Searching) -> None:
    _registered[:] = [searching]


def searching() -> Searching:
    _discover()
    return _registered[0]


def read_search(query: str, user_id: int) -> LiveSearch:
    """Raises Refusal. One query."""
    return searching().read(query, reader=User.objects.get(pk=user_id))


@cache
def _discover() -> None:
    autodiscover_modules("live_searches")
