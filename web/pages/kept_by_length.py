"""What was made of the texts that came last, bounded by their length: some are very long."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class KeptByLength(Generic[Made]):
    """Like `functools.lru_cache`. What two threads make at once is made twice."""

    def __init__(self, make: Callable[[str], Made], most_characters: int) -> None:
        self._make, self._most = make, most_characters
        self.characters = 0
        self._kept: OrderedDict[str, Made] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str) -> Made:
        with self._lock:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
        made = self._make(text)
        with self._lock:
            self._keep(text, made)
        return made

    def _keep(self, text: str, made: Made) -> None:
        if text in self._kept:
            return
        self._kept[text] = made
        self.characters += len(text)
        while self.characters > self._most:
            dropped, _ = self._kept.popitem(last=False)
            self.characters -= len(dropped)
