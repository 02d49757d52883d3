"""The page of a status: what it answers above it, and the tree of its replies below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.http import Http404

from users.models import User

from ..selectors import Show, show
from ..shown import ShownStatus
from .contents import Contents
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

    @property
    def below(self) -> list[Entry]:
        """What stands under the status."""
        return [*([self.under] if self.under else []), *self.replies]


def read_thread(
    focus: ShownStatus,
    *,
    viewer: User | None,
    after: int | None = None,
    under: int | None = None,
    show: Show = show,
) -> Thread:
    """The thread around a status that the viewer may see: at most two round trips and nine queries,
    however large it is. A few more where many replies are hidden.

    `under` names a reply without a page, such as a deleted one: its replies are shown instead.
    Raises Http404 if it does not belong to the status.
    """
    root = None if under is None else _descendant_or_404(under, of=focus.id)
    root_id = root.id if root else focus.id
    above = _above(focus)
    contents = Contents(viewer, show)
    outline = Outline(root_id, after=after or 0, contents=contents)
    contents.read([*above, *([root] if root else []), *outline])
    lines = _Lines(outline, contents)
    ancestors = [lines.entry(it.id) for it in above[-ANCESTORS:]]
    if len(above) > ANCESTORS:
        ancestors = _from_the_first_shown(ancestors)
    return Thread(
        earlier=ancestors[0].status if ancestors and len(above) > ANCESTORS else None,
        ancestors=ancestors,
        under=lines.entry(root.id) if root else None,
        replies=list(lines.below(root_id)),
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


class _Lines:
    """The entries of a thread."""

    def __init__(self, outline: Outline, contents: Contents) -> None:
        self._outline, self._contents = outline, contents

    def entry(self, status_id: int, depth: int = 0) -> Entry:
        if status := self._contents.shown(status_id):
            return Entry("status", status_id, status, depth)
        kind: Kind = "gap" if self._contents.is_gone(status_id) else "hidden"
        return Entry(kind, status_id, None, depth)

    def below(self, status_id: int, depth: int = 0) -> Iterator[Entry]:
        """What can't be shown has a place only if something is below it."""
        for reply in self._outline.replies.get(status_id, []):
            entry = self.entry(reply.id, depth)
            rest = [*self.below(reply.id, depth + 1), *self._way_on(entry)]
            if entry.status or rest:
                yield from (entry, *rest)

    def _way_on(self, entry: Entry) -> Iterator[Entry]:
        if entry.id in self._outline.cut:
            kind: Kind = "more" if self._outline.replies.get(entry.id) else "deeper"
            yield entry._replace(kind=kind, depth=entry.depth + 1)
