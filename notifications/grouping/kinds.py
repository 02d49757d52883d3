"""What people are notified of, and which events share one notification."""

from datetime import timedelta
from typing import Literal, NamedTuple, get_args

from redistools.ids import SEQUENCE_BITS

# Add new ones at the end: their place is part of positions.
Kind = Literal[
    "mention", "reply", "boost", "like", "follow", "edit", "request", "report", "search",
    "measure", "appeal",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
MENTIONS: tuple[Kind, ...] = ("mention", "reply")
# About a status; the others are about a day, a report, a search or a measure.
OF_STATUSES: tuple[Kind, ...] = ("mention", "reply", "boost", "like", "edit")

# They name nobody.
ANONYMOUS: tuple[Kind, ...] = ("report", "search", "measure", "appeal")
# What moderators did to somebody: nobody can choose not to be told.
ALWAYS_TOLD: tuple[Kind, ...] = ("measure", "appeal")

KIND_BITS = 4
SEQUENCE = (1 << SEQUENCE_BITS) - 1
DAY_MS = timedelta(days=1) // timedelta(milliseconds=1)


class Group(NamedTuple):
    """What one notification is about: all likes of a status, all followers of a day.

    `subject` is the id of a status, a report, a saved search or a measure; for follows and requests, the day
    counted from 2024.
    """

    recipient_id: int
    kind: Kind
    subject: int


def position_of(kind: Kind, id_: int) -> int:
    """Makes a place in the list from the id of the newest event: in order of time, and no other
    kind's.

    Every kind of event has ids of its own, and two of them may be equal. So the place of the kind
    goes into the lowest bits. Up to 256 events of one kind in a millisecond keep apart.
    """
    sequence = id_ & SEQUENCE
    return id_ - sequence + (sequence << KIND_BITS) + KINDS.index(kind)


def event_at(position: int) -> int:
    return position - (position & SEQUENCE) + ((position & SEQUENCE) >> KIND_BITS)


def day_of(follow_id: int) -> int:
    """Works for a request too, whose id becomes that of a follow."""
    return (follow_id >> SEQUENCE_BITS) // DAY_MS


def ids_of_day(day: int) -> tuple[int, int]:
    first, following = (number * DAY_MS << SEQUENCE_BITS for number in (day, day + 1))
    return first, following - 1
