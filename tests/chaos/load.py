"""Members who write all the time, each in a thread: `with Load(site.url) as load: …`."""

import random
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import Self

from tests.member import Member

from .ledger import Ledger
from .regular import Address, Regular

# Slow enough for the site's limits on members.
PAUSE_SECONDS = 0.15


class Load:
    """Signs its members up, then lets them loose until the block ends. Several URLs: as of several
    hosts that serve one site.
    """

    def __init__(self, *urls: str, members: int = 6, seed: int = 1) -> None:
        self.ledger = Ledger()
        self._locks: defaultdict[frozenset[str], threading.Lock] = defaultdict(threading.Lock)
        self._ended = threading.Event()
        self._stack = ExitStack()
        self._errors: list[BaseException] = []
        self.members = [
            Regular(urls, self.ledger, random.Random(f"{seed} {number}"), self._lock_of)
            for number in range(members)
        ]
        for member in self.members:
            self._stack.enter_context(closing(member.browser))
            member.meet(self.names)
        self.bystander = Member(Address(urls[0]))
        """Does nothing, and nobody blocks them: sees all that is public."""
        self._stack.enter_context(closing(self.bystander.browser))

    @property
    def names(self) -> Sequence[str]:
        return [member.name for member in self.members]

    def __enter__(self) -> Self:
        self.ledger.begin()
        self._threads = [
            threading.Thread(target=self._keep_busy, args=[member]) for member in self.members
        ]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.end()
        self._stack.close()

    def end(self) -> None:
        """The members stay logged in until the block ends."""
        self._ended.set()
        for thread in self._threads:
            thread.join()
        assert not self._errors, self._errors

    def _keep_busy(self, member: Regular) -> None:
        try:
            while not self._ended.wait(PAUSE_SECONDS):
                member.act()
        except BaseException as error:  # of the driver itself: a test must not pass without load
            self._errors.append(error)

    def _lock_of(self, one: str, other: str) -> threading.Lock:
        return self._locks[frozenset((one, other))]
