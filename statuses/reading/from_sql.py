"""Statuses as a reader gets them while Redis is away: the same decisions, from SQL alone.

Slower than `selectors.show`, by a dozen queries instead of a round trip or two, and without the
reader's own marks: while Redis is away there are no buttons.
"""

from collections.abc import Collection, Iterable, Sequence

from relations.blocks_and_mutes.viewpoint import NOBODY, viewpoint_in_sql
from relations.models import Follow
from users.models import User

from ..models import Status
from ..reactions.counts import counts_of
from ..selectors import StatusReader
from ..store import Held, render
from ..stored import StoredStatus
from ..visibility.predicate import VisibilityContext


class SqlStatusReader(StatusReader):
    """Shows a status if both forms of the predicate allow it: `may_see` and `visible_to`."""

    _allowed: frozenset[int] = frozenset()

    def read(self, status_ids: Sequence[int]) -> None:
        rows = _rows(status_ids)
        rows += _rows({it.boost_of_id for it in rows if it.boost_of_id} - {it.pk for it in rows})
        stored = render(rows)
        for row, status in zip(rows, stored, strict=True):
            self.found[row.pk] = Held(status, counts_of(row))
        ids = [row.pk for row in rows]
        allowed = Status.objects.filter(pk__in=ids).visible_to(self._viewer)
        self._allowed = frozenset(allowed.values_list("pk", flat=True))
        self.context = self._context(rows, stored)

    def read_more(self, status_ids: Sequence[int]) -> None:
        """Does nothing: all was read at once."""

    def _context(
        self, rows: Collection[Status], stored: Collection[StoredStatus]
    ) -> VisibilityContext:
        authors = {row.author_id for row in rows}
        people = {it for status in stored for it in status.people}
        followers_only = {row.author_id for row in rows if row.author.is_followers_only}
        if self._viewer is None:
            return VisibilityContext(None, NOBODY, _suspended(authors | people), followers_only)
        return VisibilityContext(
            self._viewer.pk,
            viewpoint_in_sql(self._viewer.pk),
            _suspended(authors | people),
            followers_only,
            _followed(self._viewer, authors | self._rules.people(stored)),
        )

    def _visible(self, status_id: int) -> Held | None:
        return super()._visible(status_id) if status_id in self._allowed else None


show = SqlStatusReader.show


def _rows(status_ids: Collection[int]) -> list[Status]:
    return list(Status.objects.filter(pk__in=status_ids).with_names()) if status_ids else []


def _suspended(people: Iterable[int]) -> frozenset[int]:
    rows = User.objects.filter(pk__in=people, is_active=False)
    return frozenset(rows.values_list("pk", flat=True))


def _followed(viewer: User, people: Iterable[int]) -> set[int]:
    rows = Follow.objects.filter(follower=viewer, followee__in=people)
    return set(rows.values_list("followee_id", flat=True))
