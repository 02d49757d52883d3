"""The guest's notifications of what the community did: most were read, some are new."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from notifications import record
from notifications.kinds import Group, day_of
from redistools.chunks import chunks
from redistools.ids import first_id_at
from relations.models import Follow
from statuses.models import Like, Mention, Status
from statuses.seeing.visibility import Sight
from users.models import User
from users.rows import lock_accounts

# When the guest last looked.
LOOKED = timedelta(hours=5)
AT_ONCE = 50


def notify(guest: User, *, now: datetime) -> None:
    """Inside the transaction that wrote what they are about."""
    looked = first_id_at(now - LOOKED)
    newest: dict[Group, int] = {}
    for group, event_id in _events(guest):
        newest[group] = max(event_id, newest.get(group, 0))
    _settle(guest, [group for group, event_id in newest.items() if event_id < looked])
    _look(guest)
    _settle(guest, [group for group, event_id in newest.items() if event_id >= looked])


def _settle(guest: User, groups: list[Group]) -> None:
    """The guest has muted nobody yet."""
    for some in chunks(groups, AT_ONCE):
        record.settle(some, {guest.pk: Sight(guest.pk)})


def _look(guest: User) -> None:
    account = lock_accounts([guest.pk])[guest.pk]
    account.notifications_seen = record.newest_arrival(account)
    record.write_unread(account)


def _events(guest: User) -> Iterator[tuple[Group, int]]:
    """Which group each belongs to, and its id, which says when it happened."""
    own, me = Status.objects.filter(author=guest), guest.pk
    for answered, status_id in Mention.objects.filter(user=guest).values_list(
        "status__reply_to_author", "status_id"
    ):
        yield Group(me, "reply" if answered == me else "mention", status_id), status_id
    for like in Like.objects.filter(status__in=own):
        yield Group(me, "like", like.status_id), like.pk
    for boost in Status.objects.filter(boost_of__in=own).select_related("boost_of"):
        if boost.boost_of is not None:
            yield Group(me, "boost", boost.boost_of.pk), boost.pk
    for follow in Follow.objects.filter(followee=guest):
        yield Group(me, "follow", day_of(follow.pk)), follow.pk
    for status in Status.objects.filter(boosts__author=guest):
        if status.edited_at is not None:
            yield Group(me, "edit", status.pk), first_id_at(status.edited_at)
