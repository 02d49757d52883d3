"""Looks up where members come from, and notes it: with what a process sends once a second anyway.

Of a visit, the address is looked up in one round trip, and the place is noted in the next. A member
is looked up once in six hours by each process; which ones were is in its memory alone.
"""

import time
from collections.abc import Collection
from typing import Any, NamedTuple

from redistools.scripts import Batch
from web.client_address import address_from

from ..recording.buffer import Visit
from . import members, store
from .ranges import FAMILIES, UNKNOWN, Address, parsed

EVERY_SECONDS = 6 * 3600.0
MOST_REMEMBERED = 50_000
# By one script: Redis serves nobody else while it runs. The others have their turn next time.
AT_ONCE = 200


class Asked(NamedTuple):
    answer: int  # which of the batch
    members: list[int]


class Lookups:
    """Of this process; used by the thread that sends."""

    def __init__(self) -> None:
        self._done: dict[int, float] = {}  # when they may be looked up again
        self._found: dict[int, int] = {}  # what is to be noted
        self._asked: list[Asked] = []

    def add(self, batch: Batch, visits: Collection[Visit]) -> None:
        self._asked = []
        due = {it.user_id: it for it in visits if self._is_due(it.user_id)}
        if not (due or self._found):
            return
        if members.are_noted():
            self._note(batch)
            self._ask(batch, list(due.values())[:AT_ONCE])
        else:
            self.clear()

    def _note(self, batch: Batch) -> None:
        found, self._found = self._found, {}
        for user_id, place in found.items():
            members.note(batch, user_id, place)

    def _is_due(self, user_id: int) -> bool:
        return user_id > 0 and time.monotonic() >= self._done.get(user_id, 0)

    def _ask(self, batch: Batch, visits: Collection[Visit]) -> None:
        if len(self._done) > MOST_REMEMBERED:
            self._done = {}
        by_family: dict[int, dict[int, Address]] = {it: {} for it in FAMILIES}
        for it in visits:
            self._done[it.user_id] = time.monotonic() + EVERY_SECONDS
            if address := parsed(address_from(it.peer, it.forwarded)):
                by_family[address.version][it.user_id] = address
        for family, addresses in by_family.items():
            if addresses:
                self._asked.append(Asked(len(batch), list(addresses)))
                store.find(batch, family, list(addresses.values()))

    def take(self, answers: list[Any]) -> None:
        """What Redis says. Without ranges, they are asked for again with the next visit."""
        for asked in self._asked:
            if answers[asked.answer] is None:
                for it in asked.members:
                    del self._done[it]
                continue
            for user_id, place in zip(asked.members, answers[asked.answer], strict=True):
                if place != UNKNOWN:
                    self._found[user_id] = place
        self._asked = []

    def forget(self, user_id: int) -> None:
        """An account is gone: what is still to be noted of it is not."""
        self._found.pop(user_id, None)

    def clear(self) -> None:
        """Perhaps Redis did not do what it was asked."""
        self._done, self._found, self._asked = {}, {}, []


lookups = Lookups()
