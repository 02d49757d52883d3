"""How a status reaches everybody who should see it, and leaves them when it is deleted.

The steps are the same inside the request and in a worker that finishes the work of a dead process;
each may run any number of times.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings

from redistools import keys
from redistools.client import fail_if_away, get_client
from redistools.scripts import Batch, Script
from redistools.settling import settle
from statuses import own
from statuses import store as statuses
from statuses.counts import counts_of, refresh_counts, write_counts
from statuses.history import earlier_texts, earlier_versions
from statuses.models import Status
from statuses.rows import StatusRow, read_row, read_with_counted
from statuses.stored import StoredStatus
from streaming import publishing
from streaming.subject import Subject, subject_of
from users import store as users
from users.audience import Reach, Visibility, reach_of
from users.models import User
from web.pages.page_versions import drop_all_pages

from . import fan_out, pulled, store
from .fan_out import Leg
from .index import copies as index_copies
from .ranking import important
from .timeline import home_of

# How many followers get it before the author's request is answered.
FIRST_DELIVERIES = 1_000
# A partition remembers a deletion for longer than any fan-out takes.
DELETION_MEMORY = 24 * 3600
# How many boosts of an edited status are looked at together.
BOOSTS_AT_ONCE = 200

_mark_deleted_script = Script(__file__, "mark_deleted")


class Served(NamedTuple):
    author: User
    legs: list[Leg]
    """Who has yet to get it."""


@dataclass(frozen=True)
class Seen:
    """What SQL says of a status, and of the one that it answers or boosts."""

    row: StatusRow | None
    original: StatusRow | None
    """What it boosts."""

    counted: StatusRow | None = field(compare=False)
    """What it answers or boosts: of this one, only the counters are written."""


Add = Callable[[Batch, StoredStatus], None]


def serve(
    status_id: int, author_id: int, *, boost_of: int | None = None, follow_up: Add
) -> Served | None:
    """Put the status where pages, its author, the streams and the first followers find it, and
    queue what follows (`follow_up`).

    Two queries and one round trip, unless somebody changes status or author meanwhile, or there are
    more than a thousand followers. A status that is gone is removed.
    """
    fail_if_away()
    serving = _Serving(status_id, author_id, boost_of, follow_up)
    settle(partial(_see, status_id), serving.write)
    if serving.author is None:
        users.refresh_users([author_id])
        return None
    return Served(serving.author, serving.go_on())


def _see(status_id: int) -> Seen:
    row, counted = read_with_counted(status_id)
    return Seen(row, counted if row and row.boost_of else None, counted)


class _Serving:
    def __init__(
        self, status_id: int, author_id: int, boost_of: int | None, follow_up: Add
    ) -> None:
        self._status_id, self._author_id = status_id, author_id
        self._boost_of, self._follow_up = boost_of, follow_up
        self.author: User | None = None
        self._legs: list[Leg] = []
        self._answers: list[Any] = []

    def write(self, seen: Seen) -> None:
        batch = Batch(get_client())
        if seen.row is None:
            self._remove(batch)
        else:
            status = seen.row.status
            (stored,) = statuses.write_statuses(batch, [status])
            users.write_user(batch, status.author)
            important.forget(batch, stored.author_id)
            if seen.counted:
                counted = seen.counted.status
                write_counts(batch, counted.pk, counts_of(counted))
            self._follow_up(batch, stored)
            self._deliver(batch, stored, status.author, seen)

    def _remove(self, batch: Batch) -> None:
        """An undone boost may be done again by now, or be undone only since we wrote it."""
        self.author = None
        statuses.remove_statuses(batch, self._author_id, [self._status_id])
        if self._boost_of:
            own.refresh("boosts", self._author_id, self._boost_of, together=batch)
        else:
            batch.run()

    def _deliver(self, batch: Batch, stored: StoredStatus, author: User, seen: Seen) -> None:
        """What is only for the people it mentions is delivered to nobody: they are notified of it.

        Somebody who follows the author meanwhile gets the status nevertheless: either their home
        is merged with the profile, which has it by then, or the author's counter has changed, and
        everything is written again.
        """
        self.author, self._legs = author, []
        if stored.visibility != Visibility.MENTIONED:
            fan_out.add_to_author(batch, stored.author_id, stored.id)
            _publish(batch, stored, author, seen.original)
            self._legs = fan_out.all_legs(author)
        batch.fence()
        copies = len(batch)
        fan_out.add_first_deliveries(batch, self._legs, self._status_id, budget=FIRST_DELIVERIES)
        self._answers = batch.run()[copies:]

    def go_on(self) -> list[Leg]:
        return fan_out.go_on(self._legs, self._answers, self._status_id, budget=FIRST_DELIVERIES)


def _publish(batch: Batch, stored: StoredStatus, author: User, boosted: StatusRow | None) -> None:
    is_private = _is_private(stored, author)
    if stored.boost_of is None:
        publishing.add_post(batch, stored, is_private=is_private)
        return
    own.write(batch, "boosts", stored.author_id, stored.boost_of, stored.id)
    # Without its original a boost is nothing, and about to be removed.
    if boosted:
        (original,) = statuses.render([boosted.status])
        for_whom = {"is_private": is_private, "is_narrow": _is_narrow(boosted.status)}
        publishing.add_post(batch, stored, original, **for_whom)
        # The original may have been edited between two of our looks at it.
        earlier = earlier_versions(boosted.status)
        publishing.add_edit(batch, stored, earlier, original, **for_whom)


def _is_private(stored: StoredStatus, author: User) -> bool:
    """Is it not for everybody, or not for the streams of everybody?"""
    reach = reach_of(stored.visibility, is_limited=author.is_limited)
    return reach != Reach.EVERYBODY


def _is_narrow(boosted: Status) -> bool:
    """Everybody could see it when it was boosted; its author may be private or silenced by now."""
    return boosted.author.is_limited or boosted.visibility > Visibility.UNLISTED


def update(status_id: int, author_id: int, *, follow_up: Add) -> None:
    """Put an edited status where it was before, as it is now. Homes stay as they are."""
    fail_if_away()
    write = partial(_write_edited, status_id, author_id, follow_up)
    settle(partial(read_row, status_id), write)


def _write_edited(status_id: int, author_id: int, follow_up: Add, row: StatusRow | None) -> None:
    batch = Batch(get_client())
    if row is None:
        statuses.remove_statuses(batch, author_id, [status_id])
    else:
        status = row.status
        (stored,) = statuses.write_statuses(batch, [status])
        if stored.visibility != Visibility.MENTIONED:
            is_private = _is_private(stored, status.author)
            publishing.add_edit(batch, stored, earlier_versions(status), is_private=is_private)
        follow_up(batch, stored)
    drop_all_pages(batch)
    batch.run()


def update_boosts(status_id: int, *, above: int) -> int:
    """Replace what streams keep of an edited status in some of its boosts, those with the lowest
    ids above this one. Returns the last one's id; 0 if there are no more.
    """
    rows = Status.objects.with_names().filter(boost_of_id=status_id, pk__gt=above)
    boosts = list(rows.order_by("pk")[:BOOSTS_AT_ONCE])
    settle(partial(read_row, status_id), partial(_write_boosts, boosts))
    return boosts[-1].pk if len(boosts) == BOOSTS_AT_ONCE else 0


def _write_boosts(boosts: Sequence[Status], row: StatusRow | None) -> None:
    if row is None:
        return
    status = row.status
    (original,) = statuses.render([status])
    earlier = earlier_versions(status)
    batch = Batch(get_client())
    for boost, stored in zip(boosts, statuses.render(boosts), strict=True):
        for_whom = {
            "is_private": _is_private(stored, boost.author),
            "is_narrow": _is_narrow(status),
        }
        publishing.add_edit(batch, stored, earlier, original, **for_whom)
    batch.run()


def subjects_of(known: Mapping[int, StoredStatus]) -> dict[int, Subject]:
    """What deleted statuses were about, as far as Redis and SQL still know. Nothing of originals
    that not everybody may see any more: public streams may have had their boosts.
    """
    originals = _originals_for_everybody(known)
    earlier = earlier_texts([it.id for it in known.values() if it.edited_ms])
    subjects = {
        status_id: subject_of(stored, originals.get(stored.boost_of or 0))
        for status_id, stored in known.items()
    }
    for status_id, texts in earlier.items():
        before = [subject_of(known[status_id].saying(text)) for text in texts]
        subjects[status_id] = subjects[status_id].including(before)
    return subjects


def _originals_for_everybody(known: Mapping[int, StoredStatus]) -> dict[int, StoredStatus]:
    boosted = {it.boost_of for it in known.values() if it.boost_of}
    if not boosted:
        return {}
    listed = Status.objects.listed().filter(pk__in=boosted)
    return statuses.find_statuses(list(listed.values_list("pk", flat=True)))


def add_removals(
    batch: Batch, author_id: int, status_ids: Sequence[int], *, reach: int
) -> dict[int, StoredStatus]:
    """Take statuses away from pages and streams. `reach`: whose streams they came to. Returns those
    that Redis knew: one round trip.
    """
    known = statuses.read_statuses(status_ids)
    about = subjects_of(known) if reach else {}
    publishing.add_deletions(batch, author_id, status_ids, about, reach=reach)
    statuses.remove_statuses(batch, author_id, status_ids)
    index_copies.add_removals(batch, author_id, status_ids, known.values())
    return known


def retract(
    status_id: int, author_id: int, counted_at: int | None = None, *, reach: int
) -> list[Leg]:
    """Hide the status from every reader at once; returns whose timelines are to be swept.

    Two round trips; another for a reply or boost (`counted_at`: of what). The partitions first:
    from then on no running fan-out delivers it.
    """
    batch = Batch(get_client())
    for partition in range(settings.PARTITIONS):
        _mark_deleted(batch, partition, status_id)
    known = add_removals(batch, author_id, [status_id], reach=reach)
    pulled.remove_status(batch, author_id, status_id)
    store.remove_from(batch, home_of(author_id), [status_id])
    if not _is_boost(known.get(status_id)):
        drop_all_pages(batch)
    batch.run()
    if counted_at is not None:
        _uncount(known.get(status_id), author_id, counted_at)
    author = users.refresh_users([author_id]).get(author_id)
    return fan_out.all_legs(author) if author else []


def _is_boost(known: StoredStatus | None) -> bool:
    """Then nothing is hidden: pages for visitors may show it as long as they are kept."""
    return known is not None and known.boost_of is not None


def _uncount(known: StoredStatus | None, author_id: int, counted_at: int) -> None:
    """The author may have boosted it again meanwhile."""
    if known is None or known.boost_of:
        own.refresh("boosts", author_id, counted_at)
    else:
        refresh_counts([counted_at])


def _mark_deleted(batch: Batch, partition: int, status_id: int) -> None:
    names = [keys.deleted_statuses(partition)]
    batch.call(_mark_deleted_script, names, [status_id, DELETION_MEMORY, ""])
