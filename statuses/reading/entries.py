"""What a page of statuses consists of: entries, one kind of which is a status."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from .shown import ShownStatus


class Placeholder(NamedTuple):
    """Stands for what is not on the page. A `gap` or `hidden` stands where replies can be shown,
    but not what they answer. `more` and `deeper` lead to replies: the others, or all of them.
    """

    kind: Literal["gap", "hidden", "more", "deeper"]
    id: int
    """Of the status that is not shown, or is answered."""

    username: str = ""
    """Whose it is; empty if the viewer may not see its page."""


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
