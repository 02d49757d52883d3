"""What a page of statuses consists of: entries, one kind of which is a status."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..reactions.store import NOTHING, ReaderMarks
from ..stored import Counts, StoredStatus


class ShownStatus(NamedTuple):
    """An entry of a timeline. For a boost, `status` is the original, and `id` the boost's own."""

    id: int
    status: StoredStatus
    counts: Counts = Counts()
    marks: ReaderMarks = NOTHING
    boost: StoredStatus | None = None
    # Has the reader muted a word in it?
    folded: bool = False
    # May it be shown to others?
    is_boostable: bool = True
    # Has the reader muted the conversation that it is part of?
    is_thread_muted: bool = False

    @property
    def text(self) -> str:
        return self.status.text

    @property
    def summary(self) -> str:
        """What can be said of it where nothing can be folded away."""
        return self.status.cover or self.status.text

    @property
    def username(self) -> str:
        return self.status.username


class Placeholder(NamedTuple):
    """Stands for what is not on the page. A `gap` or `hidden` stands where replies can be shown,
    but not what they answer. `more` and `deeper` lead to replies: the others, or all of them.
    """

    kind: Literal["gap", "hidden", "more", "deeper"]
    # Of the status that is not shown, or is answered.
    id: int
    # Whose it is; empty if the viewer may not see its page.
    username: str = ""


Entry = ShownStatus | Placeholder


@dataclass(frozen=True)
class StatusPage:
    """`older` is the `max_id` of the next page, `newer` the `min_id` of the one before. In an order
    that is not that of time, `more` is the cursor of the next page.
    """

    entries: Sequence[Entry]
    is_first: bool
    older: int | None = None
    newer: int | None = None
    more: int | str | None = None
