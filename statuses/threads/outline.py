"""What stands below a status, level by level, as far as one page shows it."""

from collections.abc import Sequence

from users.models import User

from .structure import Reply, direct_replies, replies_to

# Replies to the status itself; the next page goes on after them.
PAGE_SIZE = 30
# Levels, replies in all, and replies to any one reply. What is left out has a page of its own.
LEVELS = 8
MOST = 100
FEW = 10


class Outline:
    """The replies below a status, oldest first, and where some were left out.

    At most one query for each level, and one more for the first.
    """

    def __init__(self, root_id: int, *, after: int, viewer: User | None) -> None:
        direct = direct_replies(root_id, after=after, limit=PAGE_SIZE + 1, viewer=viewer)
        level = direct[:PAGE_SIZE]
        self.next_after = level[-1].id if len(direct) > PAGE_SIZE else None
        """The cursor of the next page."""
        self.replies: dict[int, list[Reply]] = {root_id: level}
        """By the status that they answer."""
        self.cut: set[int] = set()
        """Those with more replies than are here."""
        self._room = MOST - len(level)
        for _ in range(LEVELS - 1):
            level = self._add_level([reply.id for reply in level if reply.has_replies])
        self.cut |= {reply.id for reply in level if reply.has_replies}

    def _add_level(self, parent_ids: Sequence[int]) -> list[Reply]:
        asked = parent_ids[: self._room]
        few = self._few(len(asked))
        found = replies_to(asked, limit=few + 1)
        for parent_id in asked:
            self._add(parent_id, found.get(parent_id, []), few)
        self.cut.update(parent_ids[len(asked) :])
        return [reply for parent_id in asked for reply in self.replies.get(parent_id, [])]

    def _few(self, parents: int) -> int:
        """Half of the room that is left, so that deeper levels get some of it too."""
        return max(1, min(FEW, self._room // (2 * max(1, parents))))

    def _add(self, parent_id: int, replies: Sequence[Reply], few: int) -> None:
        kept = list(replies[: min(few, self._room)])
        self.replies[parent_id] = kept
        self._room -= len(kept)
        if len(kept) < len(replies):
            self.cut.add(parent_id)

    @property
    def status_ids(self) -> list[int]:
        return [reply.id for reply in self._all if not reply.is_gap]

    @property
    def gap_ids(self) -> set[int]:
        return {reply.id for reply in self._all if reply.is_gap}

    @property
    def _all(self) -> list[Reply]:
        return [reply for some in self.replies.values() for reply in some]
