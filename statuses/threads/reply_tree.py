"""What stands below a status, level by level, as far as one page shows it."""

from collections.abc import Iterator, Sequence

from web.pager import Step, page, rest_after

from .contents import Contents
from .structure import Reply, replies_to

# Replies to the status itself; the next page goes on after them.
PAGE_SIZE = 30
# Levels, replies in all, and replies to any one reply. What is left out has a page of its own.
# With this many, the page of the largest thread takes less than twice as long as that of ten.
LEVELS = 8
MOST = 70
FEW = 10
# How often the page looks on where most replies to the status are hidden, such as a suspended
# spammer's; then it may be short.
ROUNDS = 4


class ReplyTree:
    """The replies below a status, oldest first, and where some were left out.

    One query for each level, as a rule; the contents of the first level are read along.
    """

    def __init__(self, root_id: int, *, after: int, contents: Contents) -> None:
        self.cut: set[int] = set()  # statuses with more replies than are here
        self.next_after: int | None = None  # the cursor of the next page
        level = self._direct(root_id, after, contents)
        self.replies: dict[int, list[Reply]] = {root_id: level}  # by the status that they answer
        self._room = MOST - len(level)
        for _ in range(LEVELS - 1):
            level = self._add_level([reply.id for reply in level if reply.has_replies])
        self.cut |= {reply.id for reply in level if reply.has_replies}

    def __iter__(self) -> Iterator[Reply]:
        for some in self.replies.values():
            yield from some

    def _direct(self, root_id: int, after: int, contents: Contents) -> list[Reply]:
        """What can't be shown counts only if it was answered."""

        def read(last: int | None, limit: int) -> Step[list[Reply], int]:
            found = replies_to([root_id], limit=limit, after=last or 0).get(root_id, [])
            return Step(found, rest_after([it.id for it in found], limit))

        def keep(found: list[Reply]) -> list[Reply]:
            contents.read(found)
            return [it for it in found if it.has_replies or contents.shown(it.id)]

        kept, self.next_after = page(
            read, keep, after, size=PAGE_SIZE, cursor_of=lambda it: it.id, rounds=ROUNDS
        )
        return kept

    def _add_level(self, parent_ids: Sequence[int]) -> list[Reply]:
        asked = parent_ids[: self._room]
        few = self._few(len(asked))
        found = replies_to(asked, limit=few + 1)
        for parent_id in asked:
            self._add(parent_id, found.get(parent_id, []), few)
        self.cut.update(parent_ids[len(asked) :])
        return [reply for parent_id in asked for reply in self.replies[parent_id]]

    def _few(self, parents: int) -> int:
        """Half of the room that is left, so that deeper levels get some of it too."""
        return max(1, min(FEW, self._room // (2 * max(1, parents))))

    def _add(self, parent_id: int, replies: Sequence[Reply], few: int) -> None:
        kept = list(replies[: min(few, self._room)])
        self.replies[parent_id] = kept
        self._room -= len(kept)
        if len(kept) < len(replies):
            self.cut.add(parent_id)
