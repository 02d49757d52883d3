"""The index of the database that is there. Both engines get the same terms, and find the same."""

from collections.abc import Sequence
from typing import Protocol

from django.db import connection

from statuses.words.terms import Place

from . import postgresql, sqlite
from .wanted import Bounds, Wanted


class Engine(Protocol):
    def written(self, document: Sequence[Place]) -> str:
        """The terms of an entry, as the engine gives them back."""

    def newest(self, wanted: Wanted, bounds: Bounds, limit: int) -> list[int]:
        """Ids of posts that may fit, newest first."""

    def entries(self, bounds: Bounds, limit: int) -> list[tuple[int, list[str]]]:
        """Posts and their terms, oldest first."""


ENGINES: dict[str, Engine] = {"sqlite": sqlite, "postgresql": postgresql}


def engine() -> Engine:
    return ENGINES[connection.vendor]
