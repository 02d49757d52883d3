"""One page of a timeline, with the cursors of its neighbours."""

from collections.abc import Callable

from django.http import HttpRequest

from statuses.reading.shown import ShownStatus, StatusPage
from web.cursors import CURSORS, number_or_400

from .paging import PAGE_SIZE


def status_page(request: HttpRequest, read: Callable[..., list[ShownStatus]]) -> StatusPage:
    """`read` is a selector of a timeline; the cursors come from the address."""
    cursors = {name: number_or_400(request, name) for name in CURSORS}
    # One more than is shown: is there another page?
    found = read(**cursors, limit=PAGE_SIZE + 1)
    if cursors["min_id"] is not None:
        return _page_upwards(found)
    return _page_downwards(found, is_first=set(cursors.values()) == {None})


def _page_downwards(found: list[ShownStatus], *, is_first: bool) -> StatusPage:
    shown = found[:PAGE_SIZE]
    older = shown[-1].id if len(found) > PAGE_SIZE else None
    newer = shown[0].id if shown and not is_first else None
    return StatusPage(shown, older=older, newer=newer, is_first=is_first)


def _page_upwards(found: list[ShownStatus]) -> StatusPage:
    """The reader came from an older page, so there is always something older."""
    shown = found[-PAGE_SIZE:]
    newer = shown[0].id if len(found) > PAGE_SIZE else None
    return StatusPage(shown, older=shown[-1].id if shown else None, newer=newer, is_first=False)
