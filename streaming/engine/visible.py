"""Which events may be shown now, however things stood when they were published."""

from collections.abc import Collection, Sequence

from statuses.models import Status

from ..asked.accounts import known_ids
from ..event import POST, Event


def shown_now(page: Sequence[Event]) -> list[Event]:
    """Leaves out statuses that are gone, those of accounts that are gone or suspended, and mentions
    of such accounts. Deletions stay. Two queries for all events.
    """
    posts = [event for event in page if event.kind == POST]
    there = _existing([event.subject.id for event in posts])
    accounts = known_ids({user_id for event in posts for user_id in _accounts_in(event)})
    return [
        event.without_mentions(lambda user_id: user_id not in accounts)
        if event.kind == POST
        else event
        for event in page
        if event.kind != POST or (event.subject.id in there and event.subject.author_id in accounts)
    ]


def _existing(status_ids: Collection[int]) -> set[int]:
    return set(Status.objects.filter(pk__in=status_ids).values_list("pk", flat=True))


def _accounts_in(event: Event) -> set[int]:
    return {event.subject.author_id, *_mentioned(event)}


def _mentioned(event: Event) -> set[int]:
    """Most statuses mention nobody, and are not decoded."""
    if '"entities"' not in event.body:
        return set()
    return {it.account.id for it in event.status.found if it.account}
