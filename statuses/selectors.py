"""Reading statuses."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from redistools.client import get_client
from redistools.scripts import Batch
from redistools.staleness import is_stale_ok
from relations.blocks_and_mutes import viewpoint
from relations.blocks_and_mutes.muted_words import FOLD, HIDE
from users.models import User
from users.standing import suspension
from users.standing.suspension import suspended_ids
from web.refusals import Refusal

from . import store
from .models import Status
from .reactions import store as reaction_store
from .reactions.counts import counts_of
from .reactions.store import NOTHING, ReaderMarks
from .reading.shown import ShownStatus
from .store import Held
from .stored import StoredStatus
from .visibility.predicate import (
    AuthorLookup,
    VisibilityContext,
    is_open,
    may_see,
    reader_of,
    without_suspended,
    without_unseen,
)
from .visibility.rules import NO_RULES, Rules, in_muted_thread

ONLY_AUTHOR_OR_MODERATOR = _("Only its author or a moderator may delete a post.")


class Shown(NamedTuple):
    """What a viewer gets of some statuses. Those that are neither shown nor gone are hidden."""

    statuses: list[ShownStatus]
    gone: list[int]  # ids of statuses that no longer exist


class Show(Protocol):
    """`show`, or what takes its place while Redis is away (`from_sql.py`)."""

    def __call__(
        self,
        status_ids: Sequence[int],
        *,
        viewer: User | None,
        rules: Rules = NO_RULES,
        followers_only: Mapping[int, bool] | None = None,
    ) -> Shown: ...


class StatusReader:
    def __init__(
        self, viewer: User | None, rules: Rules, followers_only: Mapping[int, bool]
    ) -> None:
        self._viewer, self._rules, self._known = viewer, rules, followers_only
        self.found: dict[int, Held] = {}
        self._marks: dict[int, ReaderMarks] = {}
        self._now = viewpoint.this_moment()
        self.context = VisibilityContext(viewer.pk if viewer else None)

    @classmethod
    def show(
        cls,
        status_ids: Sequence[int],
        *,
        viewer: User | None,
        rules: Rules = NO_RULES,
        followers_only: Mapping[int, bool] | None = None,
    ) -> Shown:
        """Returns the statuses that the viewer may see, in the order asked for.

        Two round trips; one if there are no boosts and each author is the viewer or in
        `followers_only`, where the caller says whether only followers see them. What Redis lacks is
        read from SQL and put back.
        """
        if not status_ids:
            return Shown([], [])
        reader = cls(viewer, rules, followers_only or {})
        reader.read(status_ids)
        reader.read_more(status_ids)
        entries = (reader.entry(status_id) for status_id in status_ids)
        gone = [status_id for status_id in status_ids if status_id not in reader.found]
        return Shown([entry for entry in entries if entry], gone)

    def read(self, status_ids: Sequence[int]) -> None:
        batch = Batch(get_client())
        batch.add(*suspension.version_command())
        if self._viewer:
            batch.add(*viewpoint.command(self._viewer.pk))
        self._add(batch, status_ids)
        version, *answers = batch.run()
        if self._viewer:
            text, *answers = answers
            self.context = reader_of(self._viewer.pk, version, text)
        else:
            self.context = VisibilityContext(suspended=suspension.suspended_at(version))
        self._take(status_ids, answers)

    def read_more(self, status_ids: Sequence[int]) -> None:
        statuses = [self.found[it].status for it in status_ids if it in self.found]
        boosted = sorted({it.boost_of for it in statuses if it.boost_of} - self.found.keys())
        batch = Batch(get_client())
        people = self._rules.people(statuses)
        lookup = AuthorLookup(self.context, statuses, people=people, followers_only=self._known)
        lookup.add(batch)
        count = len(batch)
        if boosted:
            self._add(batch, boosted)
        answers = batch.run()
        self.context = lookup.context_after(answers[:count])
        if boosted:
            self._take(boosted, answers[count:])

    def _add(self, batch: Batch, status_ids: Sequence[int]) -> None:
        if self._viewer:
            reaction_store.add_marks(batch, self._viewer.pk, status_ids)
        store.add_reads(batch, status_ids)

    def _take(self, status_ids: Sequence[int], answers: list[Any]) -> None:
        if self._viewer:
            marks, *answers = answers
            self._marks |= reaction_store.read_marks(marks, self._viewer.pk, status_ids)
        held = store.found(status_ids, answers)
        if is_stale_ok():
            held = store.confirmed(held, status_ids, reader_id=self.context.viewer_id or 0)
        self.found |= held
        self.found |= _restored([it for it in status_ids if it not in self.found])

    def entry(self, status_id: int) -> ShownStatus | None:
        """Returns None if the viewer may not see it or what it boosts, or the rules hide it."""
        held = self._visible(status_id)
        if held is None or held.status.boost_of is None:
            return self._shown(status_id, held, None)
        return self._shown(status_id, self._visible(held.status.boost_of), held.status)

    def _visible(self, status_id: int) -> Held | None:
        held = self.found.get(status_id)
        return held if held and may_see(self.context, held.status) else None

    def _shown(
        self, entry_id: int, held: Held | None, boost: StoredStatus | None
    ) -> ShownStatus | None:
        if held is None:
            return None
        marks = self._marks.get(held.status.id, NOTHING)
        status = without_unseen(held.status, self.context)
        entry = ShownStatus(
            *(entry_id, status, held.counts, marks, boost),
            is_boostable=is_open(status, self._limited_besides(status)),
            is_thread_muted=in_muted_thread(status, self.context.viewpoint, self._now),
        )
        action = self._rules.action(entry, self.context, self._now)
        if action == HIDE:
            return None
        return entry._replace(folded=True) if action == FOLD else entry

    def _limited_besides(self, status: StoredStatus) -> Collection[int]:
        """Leaves out the reader's own account: silenced users don't learn of it."""
        if self._viewer is None or status.author_id != self.context.viewer_id:
            return self.context.followers_only
        return {status.author_id} if self._viewer.is_private else ()


show = StatusReader.show


def _restored(missing: Sequence[int]) -> dict[int, Held]:
    """Reads them from SQL and puts them back. Two or three queries and one round trip for all."""
    if not missing:
        return {}
    # Refreshing locks rows (on SQLite: every writer), so don't do it for what was deleted.
    alive = list(Status.objects.filter(pk__in=missing).values_list("pk", flat=True))
    return store.refresh_statuses(alive) if alive else {}


def visible_or_404(status_id: int, *, viewer: User) -> StoredStatus:
    for status in show([status_id], viewer=viewer).statuses:
        return status.status
    raise Http404("There is no such status.")


def original_id(status_id: int) -> int:
    known = store.find_statuses([status_id]).get(status_id)
    return known.boost_of or status_id if known else status_id


def thread_id(status_id: int) -> int:
    known = store.find_statuses([status_id]).get(status_id)
    return known.thread or status_id if known else status_id


def status_to_answer(status_id: int, *, by: User) -> StoredStatus:
    try:
        return visible_or_404(status_id, viewer=by)
    except Http404:
        raise Refusal(gettext("The post you reply to has been deleted."), code="gone") from None


def status_or_404(
    author: User, status_id: int, *, viewer: User | None, show: Show = show
) -> ShownStatus:
    followers_only = {author.pk: author.is_followers_only}
    for status in show([status_id], viewer=viewer, followers_only=followers_only).statuses:
        if (status.boost or status.status).author_id == author.pk:
            return status
    raise Http404("There is no such status.")


def answered(status_id: int | None, *, viewer: User) -> ShownStatus | None:
    shown = show([status_id] if status_id else [], viewer=viewer)
    return next(iter(shown.statuses), None)


def row_or_404(status_id: int, *, viewer: User) -> Status:
    rows = Status.objects.with_names().visible_to(viewer)
    row = rows.filter(pk=status_id).first()
    if row is None:
        raise Http404("There is no such status.")
    return row


def preview(status: Status) -> ShownStatus:
    """For users who may delete it, even if nobody else sees it. Shows the original of a boost."""
    [stored] = store.render([status])
    boosted = [stored.boost_of] if stored.boost_of else []
    original = next(iter(store.find_statuses(boosted).values()), None)
    shown = without_suspended(original or stored, suspended_ids())
    return ShownStatus(status.pk, shown, counts_of(status), boost=stored if original else None)


def may_delete(user: User, *, author_id: int) -> bool:
    """Authors and moderators may. For others the answer costs two queries."""
    return user.pk == author_id or moderates(user)


def moderates(viewer: User | AnonymousUser | None) -> bool:
    """May they delete what others wrote? Only staff pay for the answer: two queries, once a
    request.
    """
    if viewer is None or not viewer.is_staff:
        return False
    return viewer.has_perm("statuses.delete_status")


def status_to_delete(status_id: int, *, by: User) -> Status:
    """Raises Http404 or Refusal. A moderator from whom it is hidden doesn't learn that it exists: a
    report leads them to it in the admin.
    """
    found = Status.objects.with_names().filter(pk=status_id).first()
    status = found or _only_in_redis(status_id)
    if status is None:
        raise Http404("There is no such status.")
    if by.pk != status.author_id and not by.is_superuser:
        visible_or_404(status_id, viewer=by)
    if not may_delete(by, author_id=status.author_id):
        raise Refusal(ONLY_AUTHOR_OR_MODERATOR, code="not_yours", status=403)
    return status


def _only_in_redis(status_id: int) -> Status | None:
    """A Redis that lost a deletion shows the status again: then it can be deleted again."""
    for stored in store.read_statuses([status_id]).values():
        author = User(pk=stored.author_id, username=stored.username, name=stored.name)
        return Status(id=stored.id, author=author, text=stored.text)
    return None
