"""Which events may be shown now, however things stood when they were published."""

from collections.abc import Collection, Sequence

from statuses.models import Status, StatusQuerySet
from users.models import User

from ..asked.accounts import known_ids
from ..event import StreamEvent


def shown_now(
    page: Sequence[StreamEvent], *, viewer_id: int, for_everybody: bool
) -> list[StreamEvent]:
    """Leaves out what is gone or hidden from the viewer now, and links to accounts that are gone or
    suspended. Deletions stay. A few queries for all.

    `for_everybody` also leaves out what is no longer public, as a live stream does.
    """
    posts = [event for event in page if event.has_status]
    allowed = Status.objects.visible_to(User(pk=viewer_id))
    allowed = allowed.listed() if for_everybody else allowed
    there = _visible([event.facts.id for event in posts], allowed)
    accounts = known_ids({user_id for event in posts for user_id in _accounts_in(event)})
    return [
        event.without_mentions(lambda user_id: user_id not in accounts)
        if event.has_status
        else event
        for event in page
        if not event.has_status or (event.facts.id in there and event.authors <= accounts)
    ]


def _visible(status_ids: Collection[int], allowed: StatusQuerySet) -> set[int]:
    rows = list(allowed.filter(pk__in=status_ids).values_list("pk", "boost_of"))
    boosted = {boost_of for _, boost_of in rows if boost_of}
    left = set(allowed.filter(pk__in=boosted).values_list("pk", flat=True))
    return {status_id for status_id, boost_of in rows if boost_of is None or boost_of in left}


def _accounts_in(event: StreamEvent) -> set[int]:
    return event.authors | event.mentioned
