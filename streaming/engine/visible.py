"""What listeners may see, and want to see, now: however things stood when it was published."""

from collections.abc import Collection, Sequence
from itertools import count

from relations.blocks_and_mutes.viewpoint import viewpoint_of
from statuses.models import Status, StatusQuerySet
from users.models import User

from ..asked.parameters import known_ids
from ..asked.searches import searching
from ..event import StreamEvent
from .hub import Hub
from .open_stream import OpenStream
from .threads import in_thread

_turns = count(1)


def shown_now(
    page: Sequence[StreamEvent],
    *,
    viewer_id: int,
    for_everybody: bool,
    for_searches: bool = False,
) -> list[StreamEvent]:
    """Leaves out what is gone or hidden from the viewer now, and links to accounts that are gone or
    suspended. Deletions stay. A few queries for all.

    `for_everybody` also leaves out what is no longer public, as a live stream does, and
    `for_searches` what nobody may find.
    """
    posts = [event for event in page if event.has_status]
    allowed = Status.objects.visible_to(User(pk=viewer_id))
    allowed = allowed.listed() if for_everybody else allowed
    allowed = searching().findable(allowed) if for_searches else allowed
    there = _visible([event.facts.id for event in posts], allowed)
    named = {user_id for event in posts for user_id in event.authors | event.mentioned}
    accounts = known_ids(named)
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


async def look_again(hub: Hub, streams: Collection[OpenStream]) -> None:
    """Reads once for each listener. Of two looks at once, the one that began later counts."""
    for user_id in {stream.listener.user_id for stream in streams}:
        turn = next(_turns)
        viewpoint = await in_thread(viewpoint_of, user_id)
        for stream in list(hub.streams):
            if stream.listener.user_id == user_id and stream.viewpoint_turn < turn:
                stream.viewpoint, stream.viewpoint_turn = viewpoint, turn
