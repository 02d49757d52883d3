"""What Redis holds of suggestions: those that were worked out for a reader, and who is due.

Neither is a copy of SQL. What is lost is worked out again when its reader comes.
"""

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.exchange import Command
from redistools.scripts import Batch, Script

from .reasons import Candidate

LIFETIME = 24 * 3600
# Older ones are shown still, and worked out again by a task.
STALE_SECONDS = 6 * 3600
# One who follows twenty people in a row is worked out for once.
PATIENCE_SECONDS = 60

_keep = Script(__file__, "keep_suggested")
_take_due = Script(__file__, "take_due")


class Kept(NamedTuple):
    candidates: list[Candidate]
    friends: list[int]  # whose follows speak for a candidate
    languages: list[str]  # which the reader reads
    made: int  # when, in seconds since 1970

    def is_stale(self, now: float) -> bool:
        return self.made < now - STALE_SECONDS


def command(user_id: int) -> Command:
    return ("HGETALL", keys.suggested(user_id))


def kept_in(answer: dict[str, str]) -> Kept | None:
    """None if Redis has nothing. An empty list of candidates is something."""
    if not answer:
        return None
    fields = dict(answer)
    friends, languages, made = (fields.pop(it) for it in ("friends", "languages", "made"))
    ranked = sorted((int(text.partition(" ")[0]), who, text) for who, text in fields.items())
    return Kept(
        [Candidate.unpacked(who, text.partition(" ")[2]) for _, who, text in ranked],
        [int(it) for it in friends.split()],
        languages.split(),
        int(made),
    )


def kept_for(user_id: int) -> Kept | None:
    """One round trip, O(1): at most 60 candidates."""
    batch = Batch(get_client())
    batch.add(*command(user_id))
    return kept_in(batch.run()[0])


def keep(user_id: int, kept: Kept) -> None:
    """In place of what was kept before. Atomic, one round trip."""
    fields: list[str | int] = [
        *("friends", " ".join(map(str, kept.friends))),
        *("languages", " ".join(kept.languages)),
        *("made", kept.made),
    ]
    for rank, candidate in enumerate(kept.candidates):
        fields += [candidate.user_id, f"{rank} {candidate.packed()}"]
    _keep(get_client(), [keys.suggested(user_id)], [LIFETIME, *fields])


def drop(user_id: int, people: Collection[int]) -> None:
    """Takes these people out of what is kept. One round trip."""
    if people:
        get_client().hdel(keys.suggested(user_id), *map(str, people))


def forget(batch: Batch, user_id: int) -> None:
    """The reader's next page works them out again."""
    batch.add("UNLINK", keys.suggested(user_id))


def make_due(batch: Batch, user_id: int, *, patience: int = PATIENCE_SECONDS) -> None:
    """A task works them out again soon. Who is due already keeps their place. O(log n)."""
    due = int(time.time()) + patience
    batch.add("ZADD", keys.suggestions_due(), "NX", due, user_id)


def forget_due(batch: Batch, user_id: int) -> None:
    batch.add("ZREM", keys.suggestions_due(), user_id)


def take_due(limit: int, *, now_ms: int | None = None) -> Sequence[int]:
    """Whose time has come, the longest first; they are due no more. Atomic, O(limit log n).

    If the process dies before it has worked for them, their next page finds old ones, and makes
    them due again.
    """
    now = "" if now_ms is None else now_ms
    return [int(it) for it in _take_due(get_client(), [keys.suggestions_due()], [limit, now])]
