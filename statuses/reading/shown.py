"""A status as one reader gets it on a page."""

from typing import NamedTuple

from ..reactions.counts import Counts
from ..reactions.store import NOTHING, ReaderMarks
from ..stored import StoredStatus


class ShownStatus(NamedTuple):
    """An entry of a timeline. Of a boost, `status` is the original, and `id` the boost's own."""

    id: int
    status: StoredStatus
    counts: Counts = Counts()
    marks: ReaderMarks = NOTHING
    boost: StoredStatus | None = None
    folded: bool = False
    """Has the reader muted a word in it?"""

    is_boostable: bool = True
    """May it be shown to others?"""

    is_thread_muted: bool = False
    """Has the reader muted the conversation that it is part of?"""

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
