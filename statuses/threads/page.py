"""The page of a status: what it answers above it, and the tree of its replies below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.http import Http404

from users.models import User

from ..selectors import show
from ..shown import ShownStatus
from .outline import Outline
from .structure import Ancestor, ancestors_from, descendant

ANCESTORS = 40
DEEPEST_INDENT = 4
# How many levels below a status its page still leads to.
FURTHEST = 1_000

Kind = Literal["status", "gap", "hidden", "more", "deeper"]


class Entry(NamedTuple):
    """One line of a thread.

    A `gap` or `hidden` stands where replies can be shown, but not what they answer. `more` and
    `deeper` lead to replies that are not on this page: the others, or all of them.
    """

    kind: Kind
    id: int
    status: ShownStatus | None
    """None if it has no page for this viewer. `more` and `deeper` have the status answered."""

    depth: int = 0

    @property
    def indent(self) -> int:
        return min(self.depth, DEEPEST_INDENT)


@dataclass(frozen=True)
class Thread:
    earlier: ShownStatus | None
    """The topmost status on this page, if there are more above it."""

    ancestors: list[Entry]
    """The topmost first."""

    under: Entry | None
    """Whose replies these are, if not those to the status itself."""

    replies: list[Entry]
    next_after: int | None
    """The cursor of the next page of replies."""


def read_thread(
    focus: ShownStatus, *, viewer: User | None, after: int | None = None, under: int | None = None
) -> Thread:
    """The thread around a status that the viewer may see. One round trip and at most eleven
    queries, however large it is.

    `under` names a reply without a page, such as a deleted one: its replies are shown instead.
    Raises Http404 if it does not belong to the status.
    """
    root = None if under is None else _descendant_or_404(under, of=focus.id)
    above = _above(focus)
    outline = Outline(root.id if root else focus.id, after=after or 0, viewer=viewer)
    contents = _Contents([*above, *([root] if root else [])], outline, viewer)
    ancestors = [contents.entry(it.id) for it in above[-ANCESTORS:]]
    if len(above) > ANCESTORS:
        ancestors = _from_the_first_shown(ancestors)
    return Thread(
        earlier=ancestors[0].status if ancestors and len(above) > ANCESTORS else None,
        ancestors=ancestors,
        under=contents.entry(root.id) if root else None,
        replies=list(contents.replies_to(root.id if root else focus.id)),
        next_after=outline.next_after,
    )


def _descendant_or_404(status_id: int, *, of: int) -> Ancestor:
    found = descendant(status_id, of=of, limit=FURTHEST)
    if found is None:
        raise Http404("There is no such reply.")
    return found


def _above(focus: ShownStatus) -> list[Ancestor]:
    """One more than is shown: does the thread go on above?"""
    answered = focus.status.reply_to
    return ancestors_from(answered, limit=ANCESTORS + 1) if answered else []


def _from_the_first_shown(ancestors: Sequence[Entry]) -> list[Entry]:
    """Its page shows what is above it."""
    first = next((place for place, it in enumerate(ancestors) if it.status), len(ancestors))
    return list(ancestors[first:])


class _Contents:
    """What the statuses of a thread say to this viewer. One round trip."""

    def __init__(self, others: Sequence[Ancestor], outline: Outline, viewer: User | None) -> None:
        known = [it.id for it in others if not it.is_gap]
        shown = show([*known, *outline.status_ids], viewer=viewer)
        self._outline = outline
        self._shown = {status.id: status for status in shown.statuses}
        # Some may have been deleted since SQL was asked.
        self._gone = {it.id for it in others if it.is_gap} | outline.gap_ids | {*shown.gone}

    def entry(self, status_id: int, depth: int = 0) -> Entry:
        if status := self._shown.get(status_id):
            return Entry("status", status_id, status, depth)
        return Entry("gap" if status_id in self._gone else "hidden", status_id, None, depth)

    def replies_to(self, status_id: int, depth: int = 0) -> Iterator[Entry]:
        """What can't be shown has a place only if something is below it."""
        for reply in self._outline.replies.get(status_id, []):
            entry = self.entry(reply.id, depth)
            below = [*self.replies_to(reply.id, depth + 1), *self._way_on(entry)]
            if entry.status or below:
                yield from (entry, *below)

    def _way_on(self, entry: Entry) -> Iterator[Entry]:
        if entry.id in self._outline.cut:
            kind: Kind = "more" if self._outline.replies.get(entry.id) else "deeper"
            yield entry._replace(kind=kind, depth=entry.depth + 1)
