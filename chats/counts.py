"""How much a member has not read: counted in SQL, and kept in Redis until something changes.

Whatever changes it takes the copy away, and the next page counts. A count that began before the
change finds its token gone, and is not kept.
"""

import secrets
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script

from .models import Hidden, Member, Message

LIFETIME = 30 * 24 * 3600
# Longer than a count takes.
TOKEN_LIVES = 60

_keep = Script(__file__, "keep_counts")


class Counts(NamedTuple):
    unread: int = 0  # messages
    requests: int = 0  # chats


def counts_of(user_id: int) -> Counts:
    """One round trip if Redis knows it; else three, and two queries."""
    key = keys.chat_counts(user_id)
    held = get_client().get(key)
    if isinstance(held, str) and (known := read(held)):
        return known
    token = secrets.token_hex(8)
    get_client().set(key, token, ex=TOKEN_LIVES)
    counts = in_sql(user_id)
    _keep(get_client(), [key], [token, written(counts), LIFETIME])
    return counts


def written(counts: Counts) -> str:
    return f"{counts.unread} {counts.requests}"


def read(held: str) -> Counts | None:
    """None for the token of a count that goes on."""
    unread, blank, requests = held.partition(" ")
    return Counts(int(unread), int(requests)) if blank else None


def forget(batch: Batch, user_ids: Iterable[int]) -> None:
    for user_id in user_ids:
        batch.add("UNLINK", keys.chat_counts(user_id))


def in_sql(user_id: int) -> Counts:
    members = Member.objects.filter(user=user_id)
    waiting = members.present().filter(state=Member.State.PENDING, chat__last_message__gt=0)
    counted = unread_of(user_id, members.counted().values_list("chat_id", flat=True))
    return Counts(sum(counted.values()), waiting.count())


def unread_of(user_id: int, chat_ids: Iterable[int]) -> dict[int, int]:
    """By chat, without those in which everything is read. One query, O(what is unread)."""
    hidden = Hidden.objects.filter(message=OuterRef("pk"), user=user_id)
    unread = Message.objects.filter(
        chat__in=chat_ids,
        chat__members__user=user_id,
        chat__members__left_after=None,
        id__gt=F("chat__members__read_to"),
        chat__last_message__gt=F("chat__members__read_to"),
        is_deleted=False,
    )
    others = unread.exclude(author=user_id).exclude(Exists(hidden))
    return dict(others.order_by().values_list("chat").annotate(Count("pk")))
