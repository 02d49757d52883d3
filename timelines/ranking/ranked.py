"""Pages of statuses in an order that is not that of time."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from statuses.seeing.rules import NO_RULES, Rules
from statuses.selectors import show
from statuses.shown import ShownStatus
from users.models import User

from ..paging import MOST_AT_ONCE, PAGE_SIZE


@dataclass(frozen=True)
class RankedPage:
    """`more` is the cursor of the next page, if there is one."""

    statuses: list[ShownStatus]
    more: int | str | None
    is_first: bool


def first_visible(
    steps: Iterable[Sequence[int]],
    *,
    viewer: User | None,
    rules: Rules = NO_RULES,
    forget: Callable[[Collection[int]], None] = lambda _gone: None,
    wanted: Callable[[ShownStatus], bool] = lambda _entry: True,
) -> list[ShownStatus]:
    """One more than a page, so that its caller knows whether another follows; in their order.

    As with timelines, what is gone is forgotten, and what is hidden passed over.
    """
    found: list[ShownStatus] = []
    for some in steps:
        shown, gone = show(some, viewer=viewer, rules=rules)
        if gone:
            forget(gone)
        found += [entry for entry in shown if wanted(entry)]
        if len(found) > PAGE_SIZE:
            break
    return found[: PAGE_SIZE + 1]


def in_steps(status_ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Longer and longer ones: most pages are done after the first."""
    first, size = 0, PAGE_SIZE + 1
    while first < len(status_ids):
        yield status_ids[first : first + size]
        first, size = first + size, min(2 * size, MOST_AT_ONCE)
