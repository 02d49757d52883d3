"""What a notification has to say, according to likes, boosts, follows and statuses.

Every change reads it again from there, so nothing is counted twice or forgotten.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from redistools.ids import first_id_at
from relations.models import Follow, FollowRequest
from search.models import SavedSearch
from statuses import store as statuses
from statuses.models import Like, Status
from statuses.reading.summaries import StatusSummary, summary_of
from statuses.rows import read_rows
from statuses.stored import StoredStatus
from web.sql.ready_sql import Given, count, ready, select

from ..models import ACTORS
from .kinds import OF_STATUSES, Group, Kind, event_at, ids_of_day, position_of

# Beyond that nobody counts: a status with a million likes costs no more than one with these.
MOST_COUNTED = 10_000
# Above every id.
NEWEST = 2**53


@dataclass(frozen=True)
class Fact:
    position: int
    count: int
    actors: tuple[int, ...]  # the newest, newest first


def _events(kind: Kind) -> tuple[QuerySet[Any, Any], str]:
    if kind == "like":
        return Like.objects.filter(status_id=Given("subject")), "user_id"
    if kind == "boost":
        return Status.objects.filter(boost_of_id=Given("subject")), "author_id"
    if kind in ("follow", "request"):
        table = Follow if kind == "follow" else FollowRequest
        rows = table._default_manager.filter(followee_id=Given("recipient"))
        return rows.filter(id__range=(Given("first"), Given("last"))), "follower_id"
    raise ValueError(f"One {kind} makes one notification")


@ready
def _newest(kind: Kind, limit: int) -> QuerySet[Any, Any]:
    rows, actor = _events(kind)
    return rows.filter(id__lte=Given("up_to")).order_by("-id").values_list("id", actor)[:limit]


@ready
def _counted(kind: Kind, by_recipient: bool) -> QuerySet[Any, Any]:
    rows, actor = _events(kind)
    rows = rows.filter(id__lte=Given("up_to")).order_by().values_list("id")
    return rows.filter(**{actor: Given("recipient")}) if by_recipient else rows[: MOST_COUNTED + 1]


class Events:
    """The rows behind a group of likes, boosts, follows or requests, up to one of them."""

    def __init__(self, group: Group, up_to: int = NEWEST) -> None:
        self._kind = group.kind
        first, last = ids_of_day(group.subject)
        self._values = {
            "recipient": group.recipient_id,
            "subject": group.subject,
            "first": first,
            "last": last,
            "up_to": up_to,
        }

    def newest(self, limit: int) -> list[tuple[int, int]]:
        return [(id_, actor) for id_, actor in select(_newest(self._kind, limit), **self._values)]

    def by_others(self) -> int:
        """What one does oneself is no news. It is taken off the count, so that the index alone
        answers. Two queries.
        """
        every, own = (
            count(_counted(self._kind, by_recipient), **self._values)
            for by_recipient in (False, True)
        )
        return every - own


Reader = Callable[[Group, int | None], Fact | None]

_readers_of_others: dict[Kind, Reader] = {}


def tells(kind: Kind) -> Callable[[Reader], Reader]:
    """Registers the reader of a kind that belongs to an app above this one."""

    def register(reader: Reader) -> Reader:
        _readers_of_others[kind] = reader
        return reader

    return register


class Facts:
    """Reads each status once, however many are notified of it. It stays locked until the
    transaction ends: an edit or deletion meanwhile comes after us, and starts a task that finds
    what we wrote.
    """

    def __init__(self, groups: Collection[Group], *, lock: bool = True) -> None:
        self._statuses = _statuses_of(groups, lock=lock)
        self._rendered: dict[int, StoredStatus] = {}
        self._readers: dict[Kind, Reader] = {
            "mention": self._address,
            "reply": self._address,
            "boost": self._of_own_status,
            "like": self._of_own_status,
            "follow": self._events,
            "edit": self._edit,
            "request": self._events,
            "search": self._search,
            **_readers_of_others,
        }

    def of(self, group: Group, *, up_to: int | None = None) -> Fact | None:
        """Returns None if there is nothing to say. `up_to` leaves out what came after this
        position.
        """
        return self._readers[group.kind](group, up_to)

    def about(self, group: Group) -> StatusSummary | None:
        status = self._statuses.get(group.subject) if group.kind in OF_STATUSES else None
        return summary_of(status) if status else None

    def _of_own_status(self, group: Group, up_to: int | None) -> Fact | None:
        status = self._statuses.get(group.subject)
        if status is None or status.author_id != group.recipient_id:
            return None
        return self._events(group, up_to)

    def _events(self, group: Group, up_to: int | None) -> Fact | None:
        events = Events(group, NEWEST if up_to is None else event_at(up_to))
        found = events.newest(ACTORS + 1)
        newest = [pair for pair in found if pair[1] != group.recipient_id][:ACTORS]
        if not newest:
            return None
        # Mostly there are so few that we have seen them all.
        others = len(newest) if len(found) <= ACTORS else events.by_others()
        actors = tuple(actor for _, actor in newest)
        return Fact(position_of(group.kind, newest[0][0]), min(MOST_COUNTED, others), actors)

    def _address(self, group: Group, _up_to: int | None) -> Fact | None:
        """A person whom a status both answers and names is notified of the reply."""
        status = self._statuses.get(group.subject)
        if status is None or addressed(self._render(status)).get(group.recipient_id) != group.kind:
            return None
        return Fact(position_of(group.kind, status.pk), 1, (status.author_id,))

    def _search(self, group: Group, up_to: int | None) -> Fact | None:
        """What is new for it names nobody, and nobody counts it."""
        searches = SavedSearch.objects.filter(pk=group.subject, user_id=group.recipient_id)
        newest = searches.values_list("newest", flat=True).first()
        if not newest:
            return None
        position = position_of("search", newest)
        return Fact(min(position, up_to or position), 1, ())

    def _edit(self, group: Group, up_to: int | None) -> Fact | None:
        status = self._statuses.get(group.subject)
        if status is None or status.edited_at is None or status.author_id == group.recipient_id:
            return None
        edited = first_id_at(status.edited_at)
        boosts = Status.objects.filter(boost_of_id=status.pk, author_id=group.recipient_id)
        if not boosts.filter(id__lt=edited).exists():
            return None
        # Two edits in one millisecond keep apart.
        position = position_of("edit", edited + status.pk % 256)
        return Fact(min(position, up_to or position), 1, (status.author_id,))

    def _render(self, status: Status) -> StoredStatus:
        if status.pk not in self._rendered:
            [self._rendered[status.pk]] = statuses.render([status])
        return self._rendered[status.pk]


def _statuses_of(groups: Collection[Group], *, lock: bool) -> dict[int, Status]:
    """Locks newer ones before older ones, as everywhere. One query."""
    wanted = {group.subject for group in groups if group.kind in OF_STATUSES}
    found = [row.status for row in read_rows(wanted, lock=lock)]
    return {status.pk: status for status in found}


def addressed(status: StoredStatus) -> dict[int, Kind]:
    return {
        user_id: "reply" if user_id == status.reply_to_author else "mention"
        for user_id in status.people - {status.author_id}
    }
