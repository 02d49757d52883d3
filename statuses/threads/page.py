"""The page of a status: what it answers above it, and the tree of its replies below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.http import Http404

from users.models import User

from ..reading.shown import Entry, Placeholder, ShownStatus
from ..selectors import Show, show
from .contents import Contents
from .reply_tree import ReplyTree
from .structure import Ancestor, ancestors_from, descendant

ANCESTORS = 40
DEEPEST_INDENT = 4
# How many levels below a status its page still leads to.
FURTHEST = 1_000


class ThreadEntry(NamedTuple):
    entry: Entry
    depth: int = 0
    # Does its author go on with the next entry? A line leads there.
    is_joined: bool = False
    # Does an entry above say already that this is part of a thread?
    is_continued: bool = False

    @property
    def id(self) -> int:
        return self.entry.id

    @property
    def status(self) -> ShownStatus | None:
        return self.entry if isinstance(self.entry, ShownStatus) else None

    @property
    def is_part(self) -> bool:
        said = self.status and self.status.status
        return bool(said and said.reply_to and not said.is_reply_to_others)

    @property
    def indent(self) -> int:
        return min(self.depth, DEEPEST_INDENT)


@dataclass(frozen=True)
class Thread:
    # The topmost status on this page, if there are more above it.
    earlier: ShownStatus | None
    # The topmost first.
    ancestors: list[ThreadEntry]
    # Whose replies these are, if not those to the status itself.
    under: ThreadEntry | None
    replies: list[ThreadEntry]
    # The cursor of the next page of replies.
    next_after: int | None
    # Does what stands above the status say already that it is part of a thread?
    is_continued: bool = False

    @property
    def below(self) -> list[ThreadEntry]:
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
    tree = ReplyTree(root_id, after=after or 0, contents=contents)
    contents.read([*above, *([root] if root else []), *tree])
    lines = _Lines(tree, contents)
    ancestors = [lines.entry(it.id) for it in above[-ANCESTORS:]]
    if len(above) > ANCESTORS:
        ancestors = _from_the_first_shown(ancestors)
    *ancestors, focused = _labelled_once([*ancestors, ThreadEntry(focus)])
    head = lines.entry(root.id) if root else focused
    return Thread(
        earlier=ancestors[0].status if ancestors and len(above) > ANCESTORS else None,
        ancestors=ancestors,
        under=head if root else None,
        replies=list(lines.below(head, depth=0)),
        next_after=tree.next_after,
        is_continued=focused.is_continued,
    )


def _descendant_or_404(status_id: int, *, of: int) -> Ancestor:
    found = descendant(status_id, of=of, limit=FURTHEST)
    if found is None:
        raise Http404("There is no such reply.")
    return found


def _above(focus: ShownStatus) -> list[Ancestor]:
    """Reads one more than is shown, to know whether the thread goes on above."""
    answered = focus.status.reply_to
    return ancestors_from(answered, limit=ANCESTORS + 1) if answered else []


def _from_the_first_shown(ancestors: Sequence[ThreadEntry]) -> list[ThreadEntry]:
    first = next((place for place, it in enumerate(ancestors) if it.status), len(ancestors))
    return list(ancestors[first:])


def _labelled_once(entries: Sequence[ThreadEntry]) -> list[ThreadEntry]:
    before = [None, *entries]
    return [
        it._replace(is_continued=bool(it.is_part and last and last.is_part))
        for last, it in zip(before, entries, strict=False)
    ]


class _Lines:
    def __init__(self, tree: ReplyTree, contents: Contents) -> None:
        self._tree, self._contents = tree, contents

    def entry(self, status_id: int, depth: int = 0) -> ThreadEntry:
        if status := self._contents.shown(status_id):
            return ThreadEntry(status, depth)
        is_gone = self._contents.is_gone(status_id)
        return ThreadEntry(Placeholder("gap" if is_gone else "hidden", status_id), depth)

    def below(self, head: ThreadEntry, *, depth: int) -> Iterator[ThreadEntry]:
        """Yields how its author goes on, in one line that keeps the indent; then what others answer
        to any part of that line.
        """
        line = _labelled_once([head, *self._own_line(head)])
        own, last = {it.id for it in line}, line[-1]
        leads_deeper = last is not line[0] and self._leads_deeper(last.id)
        for part in line[1:]:
            yield part._replace(is_joined=part is not last or leads_deeper)
        if leads_deeper:
            yield from self._way_on(last, last.depth)
        for part in line:
            for reply in self._tree.replies.get(part.id, []):
                if reply.id not in own:
                    yield from self._branch(self.entry(reply.id, depth))
            if part is not last or not leads_deeper:
                yield from self._way_on(part, depth)

    def _branch(self, first: ThreadEntry) -> Iterator[ThreadEntry]:
        """What can't be shown has a place only if something is below it."""
        rest = list(self.below(first, depth=first.depth + 1))
        if first.status or rest:
            goes_on = bool(rest) and rest[0].status is not None and rest[0].depth == first.depth
            yield from (first._replace(is_joined=goes_on), *rest)

    def _own_line(self, head: ThreadEntry) -> Iterator[ThreadEntry]:
        own = self._own_reply(head)
        while own:
            yield own
            own = self._own_reply(own)

    def _own_reply(self, entry: ThreadEntry) -> ThreadEntry | None:
        author_id = entry.status.status.author_id if entry.status else None
        for reply in self._tree.replies.get(entry.id, []):
            status = self._contents.shown(reply.id)
            if status and status.status.author_id == author_id:
                return self.entry(reply.id, entry.depth)
        return None

    def _leads_deeper(self, status_id: int) -> bool:
        return status_id in self._tree.cut and not self._tree.replies.get(status_id)

    def _way_on(self, entry: ThreadEntry, depth: int) -> Iterator[ThreadEntry]:
        if entry.id in self._tree.cut:
            kind: Literal["deeper", "more"] = "deeper" if self._leads_deeper(entry.id) else "more"
            username = entry.status.username if entry.status else ""
            yield ThreadEntry(Placeholder(kind, entry.id, username), depth)
