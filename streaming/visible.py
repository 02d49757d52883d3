"""Which events may be shown now, whatever was so when they were published."""

from collections.abc import Collection, Sequence

from statuses.models import Status

from . import events
from .accounts import known_ids
from .event import Event


def shown_now(page: Sequence[Event]) -> list[Event]:
    """Without statuses that are gone or whose authors are, and without mentions of these.

    Somebody suspended is gone until they are restored; what says that a status is deleted stays.
    Two queries for all events.
    """
    posts = [event for event in page if event.kind == events.POST]
    there = _existing([event.subject.id for event in posts])
    accounts = known_ids({user_id for event in posts for user_id in _accounts_in(event)})
    return [
        event.without_mentions(lambda user_id: user_id not in accounts)
        if event.kind == events.POST
        else event
        for event in page
        if event.kind != events.POST
        or (event.subject.id in there and event.subject.author_id in accounts)
    ]


def _existing(status_ids: Collection[int]) -> set[int]:
    return set(Status.objects.filter(pk__in=status_ids).values_list("pk", flat=True))


def _accounts_in(event: Event) -> set[int]:
    return {event.subject.author_id, *_mentioned(event)}


def _mentioned(event: Event) -> set[int]:
    """Most statuses mention nobody: these are not decoded."""
    if '"entities"' not in event.body:
        return set()
    return {it.account.id for it in event.status.found if it.account}
