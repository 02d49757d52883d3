"""How finely time is cut, and how far back each precision goes.

A series is kept in all of them at once, so that every range of a plot has one with a few hundred
samples, and as many again for the period before.
"""

from typing import NamedTuple

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600
# 1970 began on a Thursday.
FIRST_MONDAY = 4 * DAY
# Samples in one key: as many as Redis keeps in a compact hash (`hash-max-ziplist-entries`).
SAMPLES_OF_A_KEY = 120


class Precision(NamedTuple):
    name: str
    seconds: int
    kept: int  # samples, at least

    @property
    def span(self) -> int:
        return self.seconds * self.kept

    @property
    def key_seconds(self) -> int:
        return self.seconds * SAMPLES_OF_A_KEY

    def place(self, second: int) -> tuple[int, int]:
        """The number of the key that holds a moment, and the sample in it."""
        return divmod(second // self.seconds, SAMPLES_OF_A_KEY)

    def end_of_key(self, number: int) -> int:
        """When its last sample has been kept for as long as it should."""
        return (number + 1) * self.key_seconds + self.span


PRECISIONS = (
    Precision("1 s", 1, 600),  # five minutes, and the five before
    Precision("5 s", 5, 1_440),  # an hour
    Precision("1 min", MINUTE, 2_880),  # a day
    Precision("5 min", 5 * MINUTE, 2_016),  # half a week
    Precision("1 h", HOUR, 1_440),  # a month
    Precision("5 h", 5 * HOUR, 720),  # two months and a half
    Precision("1 day", DAY, 740),  # a year
)
BY_NAME = {it.name: it for it in PRECISIONS}


def since_monday(second: int) -> int:
    """Since the first one: divided by a week or by anything that divides a day, steps begin where
    people expect it, in UTC.
    """
    return second - FIRST_MONDAY


def precision(name: str) -> Precision:
    if name not in BY_NAME:
        raise ValueError(f"a precision is one of {', '.join(BY_NAME)}, got {name!r}")
    return BY_NAME[name]
