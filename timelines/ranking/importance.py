"""The order of importance: what the entries of a home are worth to its reader. No store is asked.

worth = (1 + ln(1 + likes) + 2 ln(1 + boosts) + 1.5 ln(1 + replies)
         + 3 for each person whom the reader follows and who boosted or answered it)
        * 2 ^ (-age / 12 h), doubled if the reader writes to its author
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p, log2

from redistools.ids import SEQUENCE_BITS
from statuses.reading.summaries import StatusSummary

HALF_LIFE_MS = 12 * 3600 * 1000
PER_PERSON = 3


@dataclass(frozen=True)
class Home:
    reader_id: int
    entries: Sequence[StatusSummary]  # the newest first
    originals: Mapping[int, StatusSummary]  # every status that is an entry, or boosted by one
    hidden: Collection[int]  # ids of the entries that don't come up for the reader
    # The people whom the reader writes to.
    written_to: Collection[int] = field(default_factory=frozenset)


def in_order(home: Home) -> list[int]:
    people = _people(home)
    worth = {
        entry_id: _worth(home, home.originals[status_id], len(people[status_id]))
        for status_id, entry_id in _chosen(home).items()
    }
    return sorted(worth, key=lambda entry_id: (worth[entry_id], entry_id), reverse=True)


def _chosen(home: Home) -> dict[int, int]:
    chosen: dict[int, int] = {}
    for entry in home.entries:
        status_id = entry.boost_of or entry.id
        if status_id not in home.originals or entry.id in home.hidden:
            continue
        if entry.boost_of is None or status_id not in chosen:
            chosen[status_id] = entry.id
    return chosen


def _people(home: Home) -> dict[int, set[int]]:
    """Maps each status to the followed people who boosted or answered it: nobody else's statuses
    are in the home. Authors don't count for their own.
    """
    people: defaultdict[int, set[int]] = defaultdict(set)
    for entry in home.entries:
        status_id = entry.boost_of or entry.reply_to
        about = home.originals.get(status_id) if status_id else None
        if about is None or entry.author_id in (about.author_id, home.reader_id):
            continue
        if not (entry.boost_of and entry.id in home.hidden):
            people[about.id].add(entry.author_id)
    return people


def _worth(home: Home, status: StatusSummary, people: int) -> float:
    """A logarithm, which does not vanish with age, plus a constant: independent of the time."""
    likes, boosts, replies, _version = status.counts
    worth = 1 + log1p(likes) + 2 * log1p(boosts) + 1.5 * log1p(replies) + PER_PERSON * people
    doubled = status.author_id in home.written_to
    return log2(worth) + doubled + (status.id >> SEQUENCE_BITS) / HALF_LIFE_MS
