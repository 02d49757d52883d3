"""What clients were told, and so what SQL must say in the end."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Literal

Fact = tuple[str, ...]
"""("post", text), ("like" or "boost", who, text), ("follow", who, whom) or ("block", who, whom)."""

Answer = Literal["done", "refused", "broken", "late"]
"""Late: the client gave up waiting, and the request may still be done at any time."""


class Ledger:
    """Threads write into it. Two of them never change the same fact at once: see `Load`."""

    def __init__(self) -> None:
        self._facts: dict[Fact, bool | None] = {}
        self._open: set[Fact] = set()
        self._lock = threading.Lock()
        self.answers: Counter[Answer] = Counter()
        self.codes: Counter[int] = Counter()
        self.done_at: list[float] = []

    def begin(self) -> None:
        """From now on, gaps count."""
        self.done_at = [time.monotonic()]

    def change(self, wanted: Mapping[Fact, bool], send: Callable[[], Answer]) -> Answer:
        """Send a request that makes these facts true or false, and note what becomes of it.

        A refused one has changed nothing; of a broken one nobody knows what it has changed.
        """
        with self._lock:
            before = {fact: self._facts.get(fact, False) for fact in wanted}
            self._facts |= dict.fromkeys(wanted)
        answer = send()
        with self._lock:
            self.answers[answer] += 1
            if answer == "done":
                self.done_at.append(time.monotonic())
                self._facts |= wanted
            elif answer == "refused":
                self._facts |= before
            elif answer == "late":
                self._open |= wanted.keys()
        return answer

    def note_code(self, code: int) -> None:
        with self._lock:
            self.codes[code] += 1

    def is_true(self, fact: Fact) -> bool | None:
        """None: nobody knows."""
        with self._lock:
            return None if fact in self._open else self._facts.get(fact, False)

    def certain(self, kind: str) -> dict[Fact, bool]:
        """All facts of a kind that somebody was told."""
        with self._lock:
            facts = dict(self._facts)
        return {
            fact: value
            for fact, value in facts.items()
            if fact[0] == kind and value is not None and fact not in self._open
        }

    def longest_gap(self) -> float:
        """The longest time in which no request was answered with success, in seconds."""
        with self._lock:
            moments = sorted(self.done_at)
        return max((b - a for a, b in pairwise(moments)), default=0.0)
