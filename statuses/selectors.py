"""Reading statuses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404

from redistools.client import get_client
from redistools.scripts import Batch
from relations import viewpoint
from users import suspension
from users.models import User
from users.suspension import suspended_ids

from . import own, store
from .asking import Asking
from .counts import counts_of
from .models import Status
from .own import NOTHING, Mine
from .shown import ShownStatus
from .store import Held
from .stored import StoredStatus
from .visibility import Sight, may_see, without_mentions

ONLY_AUTHOR_OR_MODERATOR = "Only its author or a moderator may delete a status."


class Shown(NamedTuple):
    """What a viewer gets of some statuses. Those that are neither shown nor gone are hidden."""

    statuses: list[ShownStatus]
    gone: list[int]
    """Ids of statuses that no longer exist."""


class Rules(Protocol):
    """What a timeline hides from its reader, or folds away, beyond what nobody shows them."""

    def people(self, statuses: Collection[StoredStatus]) -> set[int]:
        """For whom it matters whether the reader follows them."""

    def hides(self, entry: ShownStatus, sight: Sight) -> bool: ...

    def folds(self, entry: ShownStatus, sight: Sight) -> bool: ...


class NoRules:
    def people(self, statuses: Collection[StoredStatus]) -> set[int]:  # noqa: ARG002 - for none
        return set()

    def hides(self, entry: ShownStatus, sight: Sight) -> bool:  # noqa: ARG002 - it hides none
        return False

    def folds(self, entry: ShownStatus, sight: Sight) -> bool:  # noqa: ARG002 - nor folds any
        return False


NO_RULES = NoRules()


def show(
    status_ids: Sequence[int],
    *,
    viewer: User | None,
    rules: Rules = NO_RULES,
    follows_all: bool = False,
    limited: Mapping[int, bool] | None = None,
) -> Shown:
    """The statuses that the viewer may see, in the order asked for, as they are to be shown.

    One round trip; a second one where there are boosts, or somebody has to be asked for. Nobody has
    to if the viewer follows all authors (`follows_all`: a home), or the caller knows whether only
    followers see them (`limited`). What Redis lacks is read from SQL and put back.
    """
    if not status_ids:
        return Shown([], [])
    reading = _Reading(viewer, rules, follows_all=follows_all, limited=limited or {})
    reading.read(status_ids)
    reading.read_more(status_ids)
    entries = (reading.entry(status_id) for status_id in status_ids)
    visible = [entry for entry in entries if entry and not rules.hides(entry, reading.sight)]
    gone = [status_id for status_id in status_ids if status_id not in reading.found]
    return Shown([reading.folded(entry) for entry in visible], gone)


class _Reading:
    """Everything that a page of statuses needs from Redis."""

    def __init__(
        self,
        viewer: User | None,
        rules: Rules,
        *,
        follows_all: bool,
        limited: Mapping[int, bool],
    ) -> None:
        self._viewer, self._rules, self._follows_all = viewer, rules, follows_all
        self._known = limited
        self.found: dict[int, Held] = {}
        self._mine: dict[int, Mine] = {}
        self.sight = Sight(viewer.pk if viewer else None)

    def read(self, status_ids: Sequence[int]) -> None:
        batch = Batch(get_client())
        batch.add(*suspension.version_command())
        if self._viewer:
            batch.add(*viewpoint.command(self._viewer.pk))
        self._add(batch, status_ids)
        version, *answers = batch.run()
        suspended = suspension.suspended_at(version)
        if self._viewer:
            text, *answers = answers
            view = viewpoint.viewpoint_in(text, self._viewer.pk)
            self.sight = replace(self.sight, viewpoint=view)
        self.sight = replace(self.sight, suspended=suspended)
        self._take(status_ids, answers)

    def read_more(self, status_ids: Sequence[int]) -> None:
        """What is boosted, and who may be seen by whom."""
        statuses = [self.found[it].status for it in status_ids if it in self.found]
        boosted = sorted({it.boost_of for it in statuses if it.boost_of} - self.found.keys())
        batch = Batch(get_client())
        asking = Asking(
            self.sight,
            statuses,
            people=self._rules.people(statuses),
            follows_all=self._follows_all,
            limited=self._known,
        )
        asking.add(batch)
        count = len(batch)
        if boosted:
            self._add(batch, boosted)
        answers = batch.run()
        self.sight = asking.sight_after(answers[:count])
        if boosted:
            self._take(boosted, answers[count:])

    def _add(self, batch: Batch, status_ids: Sequence[int]) -> None:
        if self._viewer:
            own.add_marks(batch, self._viewer.pk, status_ids)
        store.add_reads(batch, status_ids)

    def _take(self, status_ids: Sequence[int], answers: list[Any]) -> None:
        if self._viewer:
            marks, *answers = answers
            self._mine |= own.read_marks(marks, self._viewer.pk, status_ids)
        self.found |= store.found(status_ids, answers)
        self.found |= _restored([it for it in status_ids if it not in self.found])

    def entry(self, status_id: int) -> ShownStatus | None:
        """None if the viewer may not see it, or it boosts what they may not see."""
        held = self._visible(status_id)
        if held is None or held.status.boost_of is None:
            return self._shown(status_id, held, None)
        return self._shown(status_id, self._visible(held.status.boost_of), held.status)

    def _visible(self, status_id: int) -> Held | None:
        held = self.found.get(status_id)
        return held if held and may_see(self.sight, held.status) else None

    def _shown(
        self, entry_id: int, held: Held | None, boost: StoredStatus | None
    ) -> ShownStatus | None:
        if held is None:
            return None
        mine = self._mine.get(held.status.id, NOTHING)
        status = _as_shown(held.status, self.sight)
        return ShownStatus(entry_id, status, held.counts, mine, boost)

    def folded(self, entry: ShownStatus) -> ShownStatus:
        return entry._replace(folded=True) if self._rules.folds(entry, self.sight) else entry


def _restored(missing: Sequence[int]) -> dict[int, Held]:
    """From SQL, and back in Redis."""
    if not missing:
        return {}
    alive = list(Status.objects.filter(pk__in=missing).values_list("pk", flat=True))
    if not alive:
        return {}
    store.refresh_statuses(alive)
    batch = Batch(get_client())
    store.add_reads(batch, alive)
    return store.found(alive, batch.run())


def _as_shown(status: StoredStatus, sight: Sight) -> StoredStatus:
    """Without links to people whom the viewer can't see."""
    unseen = sight.suspended | sight.viewpoint.blocked
    return without_mentions(status, lambda it: it.id in unseen) if unseen else status


def visible_or_404(status_id: int, *, viewer: User) -> StoredStatus:
    """A status that the viewer may see; of a boost, its original."""
    for status in show([status_id], viewer=viewer).statuses:
        return status.status
    raise Http404("There is no such status.")


def status_to_answer(status_id: int, *, by: User) -> StoredStatus:
    """Raises ValidationError."""
    try:
        return visible_or_404(status_id, viewer=by)
    except Http404:
        raise ValidationError("The post you reply to has been deleted.", code="gone") from None


def status_or_404(author: User, status_id: int, *, viewer: User | None) -> ShownStatus:
    """A status has its page under its author's name only."""
    limited = {author.pk: author.is_limited}
    for status in show([status_id], viewer=viewer, limited=limited).statuses:
        if status.author_id == author.pk:
            return status
    raise Http404("There is no such status.")


def preview(status: Status) -> ShownStatus:
    """For those who may delete it, even if nobody else sees it."""
    [stored] = store.render([status])
    shown = _as_shown(stored, Sight(suspended=suspended_ids()))
    return ShownStatus(status.pk, shown, counts_of(status))


def may_delete(user: User, *, author_id: int) -> bool:
    """Authors and moderators may. Asking for somebody who is neither costs two queries."""
    return user.pk == author_id or user.has_perm("statuses.delete_status")


def moderates(viewer: User | AnonymousUser | None) -> bool:
    """May they delete what others wrote? Moderators are staff, so only staff pay for the answer:
    two queries, once for a request.
    """
    if viewer is None or not viewer.is_staff:
        return False
    return viewer.has_perm("statuses.delete_status")


def status_to_delete(status_id: int, *, by: User) -> Status:
    """Raises Http404 or PermissionDenied."""
    found = Status.objects.with_names().filter(pk=status_id).first()
    status = found or _only_in_redis(status_id)
    if status is None:
        raise Http404("There is no such status.")
    if not may_delete(by, author_id=status.author_id):
        raise PermissionDenied(ONLY_AUTHOR_OR_MODERATOR)
    return status


def _only_in_redis(status_id: int) -> Status | None:
    """A Redis that lost a deletion shows the status again: then it can be deleted again."""
    for stored in store.read_statuses([status_id]).values():
        author = User(pk=stored.author_id, username=stored.username, name=stored.name)
        return Status(id=stored.id, author=author, text=stored.text)
    return None
