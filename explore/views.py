"""What goes on on the site, for members and visitors."""

from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from redistools.outages.errors import is_outage
from statuses.reading.shown import ShownStatus
from timelines.reading.paging import PAGE_SIZE, status_page
from users.decorators import viewer_of
from web.cursors import score_or_400
from web.pages.reduced_service import from_sql_while_redis_is_away

from . import selectors
from .languages import Language, language_or_400, seen
from .people.reasons import Suggestion
from .people.selectors import suggestions
from .readable import languages_of

Read = Callable[..., list[ShownStatus]]

SUGGESTED_PEOPLE = 5
ASIDE_PEOPLE, ASIDE_TAGS = 3, 5
SHOWN_TAGS = 30
ON_LANDING = 5


@require_safe
@from_sql_while_redis_is_away(read=selectors.newest_from_sql)
def landing(request: HttpRequest, *, read: Read = selectors.newest) -> HttpResponse:
    return render(request, "landing.html", {"newest": _newest_or_none(read)})


def _newest_or_none(read: Read) -> list[ShownStatus] | None:
    """Returns None while SQL is away: the rest of the page works without."""
    try:
        return read(None, limit=ON_LANDING)
    except DatabaseError as error:
        if not is_outage(error):
            raise
        return None


@require_safe
def popular(request: HttpRequest) -> HttpResponse:
    """Shows what is new on a site where nothing is popular yet."""
    viewer, language = viewer_of(request), language_or_400(request)
    page = selectors.popular(viewer, language, after=score_or_400(request))
    is_empty = page.is_first and not page.entries
    newest = selectors.newest(viewer, language, limit=PAGE_SIZE) if is_empty else []
    context = {"page": page, "newest": {"entries": newest}, **_languages(language)}
    return _answer(request, "popular", context, with_people=page.is_first)


@require_safe
def tags(request: HttpRequest) -> HttpResponse:
    context = {"tags": selectors.trending_tags(SHOWN_TAGS)}
    return _answer(request, "tags", context, with_people=True)


@require_safe
def newest(request: HttpRequest) -> HttpResponse:
    viewer, language = viewer_of(request), language_or_400(request)
    page = status_page(request, partial(selectors.newest, viewer, language))
    context = {"page": page, **_languages(language)}
    return _answer(request, "newest", context, with_people=page.is_first)


@require_safe
@cache_control(no_cache=True)
def aside(request: HttpRequest) -> HttpResponse:
    """The panels beside a page, which are loaded after it. Four round trips for members, with their
    session.
    """
    context = {
        "tags": selectors.trending_tags(ASIDE_TAGS),
        "suggested": _suggested(request, ASIDE_PEOPLE),
        "back": _page_beside(request),
    }
    return render(request, "_aside_panels.html", context)


def _page_beside(request: HttpRequest) -> str:
    """Buttons of a panel lead back here; htmx says from which page it asks."""
    try:
        address = urlsplit(request.headers.get("HX-Current-URL", ""))
    except ValueError:
        return reverse("home")
    path = f"{address.path}?{address.query}" if address.query else address.path
    is_ours = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return path if is_ours else reverse("home")


def _answer(
    request: HttpRequest, tab: str, context: dict[str, Any], *, with_people: bool
) -> HttpResponse:
    suggested = _suggested(request, SUGGESTED_PEOPLE) if with_people else []
    return render(request, f"explore/{tab}.html", {"tab": tab, "suggested": suggested, **context})


def _suggested(request: HttpRequest, limit: int) -> list[Suggestion]:
    return suggestions(viewer_of(request), limit=limit, languages=languages_of(request))


def _languages(chosen: str) -> dict[str, Any]:
    """Includes the chosen language, even if nobody has written in it lately."""
    languages = seen()
    if chosen and chosen not in {language.code for language in languages}:
        languages.append(Language.of(chosen))
    return {"languages": languages, "language": chosen}
