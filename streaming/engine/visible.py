"""Which events may be shown now, however things stood when they were published."""

from collections.abc import Collection, Sequence

from statuses.models import Status

from ..asked.accounts import known_ids
from ..event import Event


def shown_now(page: Sequence[Event]) -> list[Event]:
    """Leaves out statuses that are gone, those of accounts that are gone or suspended, and mentions
    of such accounts. Deletions stay. Two queries for all events.
    """
    posts = [event for event in page if event.has_status]
    there = _existing([event.subject.id for event in posts])
    accounts = known_ids({user_id for event in posts for user_id in _accounts_in(event)})
    return [
        event.without_mentions(lambda user_id: user_id not in accounts)
        if event.has_status
        else event
        for event in page
        if not event.has_status or (event.subject.id in there and event.authors <= accounts)
    ]


def _existing(status_ids: Collection[int]) -> set[int]:
    """Of a boost, its original too."""
    rows = Status.objects.filter(pk__in=status_ids).values_list("pk", "boost_of")
    boosted = {boost_of for _, boost_of in rows if boost_of}
    left = boosted & set(Status.objects.filter(pk__in=boosted).values_list("pk", flat=True))
    return {status_id for status_id, boost_of in rows if boost_of is None or boost_of in left}


def _accounts_in(event: Event) -> set[int]:
    return event.authors | event.mentioned
