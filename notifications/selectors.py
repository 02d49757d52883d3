"""Reading notifications: from Redis as far down as it reaches, then from SQL."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from relations.blocks_and_mutes.viewpoint import this_moment
from statuses import selectors as statuses
from statuses.reading.shown import ShownStatus
from statuses.visibility.predicate import VisibilityContext
from users.models import User
from users.selectors import people
from users.store import Person
from web import pager
from web.pager import Step, rest_after

from . import store
from .grouping.facts import MOST_COUNTED, NEWEST, Events
from .grouping.hearing import NewsRules, hears_of, recipients
from .grouping.kinds import ANONYMOUS, MENTIONS
from .models import Notification
from .rows import of_kinds, with_ids
from .store import Found
from .stored import StoredNotification

PAGE_SIZE = 30
# How many people are named, and how many are shown by their pictures; the others are counted.
NAMED, FACES = 2, 5


class ShownNotification(NamedTuple):
    stored: StoredNotification
    people: list[Person]
    faces: list[Person]  # the same, and some more
    others: int  # how many more than `people`
    status: ShownStatus | None
    is_unread: bool
    search: str = ""  # what a saved search is called


class NotificationPage(NamedTuple):
    notifications: list[ShownNotification]
    older: int | None  # the cursor of the next page, if there is one
    # Everything down to its end, whether its reader may see it or not.
    read: list[StoredNotification]

    @property
    def arrived(self) -> int:
        return max((it.arrived for it in self.read), default=0)


Read = Callable[[int, int | None, int], Step[Found, int]]


def everything(viewer: User, *, max_id: int | None = None) -> NotificationPage:
    """Newest first. Four round trips, no SQL."""
    return _page(viewer, _read, max_id)


def mentions(viewer: User, *, max_id: int | None = None) -> NotificationPage:
    """Only mentions and replies. Three round trips, one query."""
    return _page(viewer, _read_mentions, max_id)


def shown(viewer: User, ids: Sequence[int]) -> list[ShownNotification]:
    stored = [StoredNotification.of_row(row) for row in with_ids(viewer.pk, ids)]
    return _shown(viewer, Found(stored, recipients([viewer.pk])[viewer.pk]))


def _page(viewer: User, read: Read, below: int | None) -> NotificationPage:
    stored: list[StoredNotification] = []

    def keep(found: Found) -> list[ShownNotification]:
        stored.extend(found.notifications)
        return _shown(viewer, found)

    visible, older = pager.page(
        partial(read, viewer.pk),
        keep,
        below,
        size=PAGE_SIZE,
        cursor_of=lambda it: it.stored.position,
    )
    return NotificationPage(
        visible, older, [it for it in stored if older is None or it.position >= older]
    )


def _read(user_id: int, below: int | None, limit: int) -> Step[Found, int]:
    positions, floor = store.newest(user_id, below=below, limit=limit)
    found = store.find(user_id, [position.id for position in positions])
    if len(positions) == limit:
        return Step(found, positions[-1].position)
    if floor == 0:
        return Step(found, None)
    lowest = min(bound for bound in (below, floor) if bound is not None)
    older = Notification.objects.filter(recipient_id=user_id, position__lt=lowest)
    wanted = limit - len(positions)
    rows, rest = _with_cursor(list(older.order_by("-position")[:wanted]), wanted)
    return Step(found._replace(notifications=found.notifications + rows), rest)


def _read_mentions(user_id: int, below: int | None, limit: int) -> Step[Found, int]:
    highest = NEWEST if below is None else below
    found = of_kinds(user_id, MENTIONS, below=highest, limit=limit)
    rows, rest = _with_cursor(found, limit)
    return Step(Found(rows, recipients([user_id])[user_id]), rest)


def _with_cursor(
    rows: Sequence[Notification], limit: int
) -> tuple[list[StoredNotification], int | None]:
    stored = [StoredNotification.of_row(row) for row in rows]
    return stored, rest_after([it.position for it in stored], limit)


def _shown(viewer: User, found: Found) -> list[ShownNotification]:
    """Leaves out notifications about a status that the viewer may not see, or does not want to; and
    about a saved search that is gone. Two round trips; one query if there is one about a search.
    """
    about = {it.status_id for it in found.notifications if it.status_id is not None}
    shown = statuses.show(sorted(about), viewer=viewer, rules=NewsRules())
    seen = {it.id: it for it in shown.statuses}
    visible = [it for it in found.notifications if it.status_id is None or it.status_id in seen]
    searches = _searches(viewer, visible)
    crowds = {it.id: _crowd(it, found.reader) for it in visible}
    persons = people({actor for crowd in crowds.values() for actor in crowd.faces})
    seen_until = viewer.notifications_seen
    return [
        ShownNotification(
            stored=it,
            people=[persons[actor] for actor in crowds[it.id].named if actor in persons],
            faces=[persons[actor] for actor in crowds[it.id].faces if actor in persons],
            others=crowds[it.id].others,
            status=seen[it.status_id] if it.status_id is not None else None,
            is_unread=it.arrived > seen_until,
            search=searches.get(it.subject, "") if it.kind == "search" else "",
        )
        for it in visible
        if it.kind != "search" or it.subject in searches
        if it.kind in ANONYMOUS or persons.keys() & set(crowds[it.id].named)
    ]


def _searches(viewer: User, notifications: Sequence[StoredNotification]) -> dict[int, str]:
    ids = {it.subject for it in notifications if it.kind == "search"}
    return {it.pk: str(it) for it in viewer.saved_searches.filter(pk__in=ids)} if ids else {}


class _Crowd(NamedTuple):
    named: list[int]
    faces: list[int]
    others: int


def _crowd(stored: StoredNotification, reader: VisibilityContext) -> _Crowd:
    """Leaves out people of whom nothing is heard, among the newest; counts the rest."""
    if stored.kind in ANONYMOUS:
        return _Crowd([], [], 0)
    heard = _heard(stored.actors, reader)
    if not heard and stored.count > len(stored.actors):
        # Look further. One query, of some ten milliseconds at most.
        heard = _heard([actor for _, actor in Events(stored.group).newest(MOST_COUNTED)], reader)
        count = len(heard)
    else:
        count = stored.count - (len(stored.actors) - len(heard))
    named = heard[:NAMED]
    return _Crowd(named, heard[:FACES], count - len(named))


def _heard(actors: Sequence[int], reader: VisibilityContext) -> list[int]:
    now = this_moment()
    return [actor for actor in actors if hears_of(actor, reader, now)]
