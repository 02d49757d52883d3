"""What a reader does not want to see, or may not: blocks either way, mutes, hidden boosts, words.

One string in Redis for each user, made from SQL, which a page reads along with its statuses. Most
are nearly empty. A process keeps what it has parsed, so even five hundred mutes cost a page little.
"""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from typing import Any

from django.db.models import Q

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.exchange import Command
from redistools.writing_until_stable import write_until_stable
from users.models import User
from web.pages.kept_by_length import KeptByLength

from ..models import Block, Follow, Mute, MutedWord, ThreadMute
from .muted_words import MutedPhrase, Phrases

LIFETIME = 30 * 24 * 3600
# Of texts; what is made of them takes some ten times as many bytes.
KEPT_CHARACTERS = 2_000_000
FOR_EVER = 0


@dataclass(frozen=True)
class Viewpoint:
    """Mutes end at a moment in milliseconds since 1970, or `FOR_EVER` last."""

    blocked: frozenset[int] = frozenset()  # by the reader, or who have blocked the reader
    muted: Mapping[int, int] = field(default_factory=dict)
    muted_threads: Mapping[int, int] = field(default_factory=dict)
    boosts_hidden: frozenset[int] = frozenset()
    phrases: tuple[MutedPhrase, ...] = ()

    def mutes(self, user_id: int, now: int) -> bool:
        return user_id in self.muted and _lasts(self.muted[user_id], now)

    def unwanted(self, now: int) -> frozenset[int]:
        return self.blocked | {it for it in self.muted if self.mutes(it, now)}

    def mutes_thread(self, thread: int, now: int) -> bool:
        return thread in self.muted_threads and _lasts(self.muted_threads[thread], now)

    @cached_property
    def words(self) -> Phrases:
        return Phrases(self.phrases)


NOBODY = Viewpoint()


def this_moment() -> int:
    return int(time.time() * 1000)


def _lasts(until: int, now: int) -> bool:
    return until == FOR_EVER or until > now


def command(user_id: int) -> Command:
    """Goes along with what a page reads; `viewpoint_in` takes the answer."""
    return ("GET", keys.viewpoint(user_id))


def viewpoint_in(answer: str | None, user_id: int) -> Viewpoint:
    """Needs more round trips only if Redis does not know it."""
    return _parsed(answer if answer is not None else load(user_id))


def viewpoint_of(user_id: int) -> Viewpoint:
    answer: Any = get_client().get(keys.viewpoint(user_id))  # text: the client decodes
    return viewpoint_in(answer, user_id)


def viewpoint_in_sql(user_id: int) -> Viewpoint:
    """For use while Redis is away. Five queries."""
    return _parsed(in_sql(user_id))


def load(user_id: int) -> str:
    """Loads from SQL, unless another process was quicker: then returns its result, which may be
    newer. Leaves nothing behind for an account that is gone.
    """
    if not User.objects.filter(pk=user_id).exists():
        return in_sql(user_id)
    key, client = keys.viewpoint(user_id), get_client()
    client.set(key, in_sql(user_id), nx=True, ex=LIFETIME)
    return str(client.get(key) or in_sql(user_id))


def refresh(user_ids: Collection[int]) -> None:
    """Makes Redis say what SQL says. Call it after commit."""
    fail_if_away()
    for user_id in user_ids:
        write_until_stable(partial(in_sql, user_id), partial(_write, user_id))


def _write(user_id: int, text: str) -> None:
    get_client().set(keys.viewpoint(user_id), text, ex=LIFETIME)


def in_sql(user_id: int) -> str:
    """Returns the string that Redis holds. Five queries."""
    blocks = Block.objects.filter(Q(blocker_id=user_id) | Q(blocked_id=user_id))
    others = {it for pair in blocks.values_list("blocker_id", "blocked_id") for it in pair}
    hidden = Follow.objects.filter(follower_id=user_id, hides_boosts=True)
    words = MutedWord.objects.filter(user_id=user_id).order_by("phrase")
    found: dict[str, Any] = {
        "blocked": sorted(others - {user_id}),
        "muted": _endings(Mute.objects.filter(user_id=user_id).values_list("muted_id", "until")),
        "threads": _endings(
            ThreadMute.objects.filter(user_id=user_id).values_list("thread", "until")
        ),
        "boosts": sorted(hidden.values_list("followee_id", flat=True)),
        "words": [(it.phrase, it.action, _moment(it.until)) for it in words],
    }
    return json.dumps({name: what for name, what in found.items() if what}, ensure_ascii=False)


def _endings(pairs: Collection[tuple[int, datetime | None]]) -> dict[int, int]:
    return {number: _moment(until) for number, until in sorted(pairs)}


def _moment(until: datetime | None) -> int:
    return FOR_EVER if until is None else int(until.timestamp() * 1000)


def _parse(text: str) -> Viewpoint:
    found = json.loads(text)
    return Viewpoint(
        blocked=frozenset(found.get("blocked", ())),
        muted={int(it): until for it, until in found.get("muted", {}).items()},
        muted_threads={int(it): until for it, until in found.get("threads", {}).items()},
        boosts_hidden=frozenset(found.get("boosts", ())),
        phrases=tuple(MutedPhrase(*it) for it in found.get("words", ())),
    )


_parsed = KeptByLength(_parse, KEPT_CHARACTERS)
