"""What goes on on the site, for members and visitors."""

import re
from functools import partial
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from relations.selectors import suggestions
from timelines.paging import PAGE_SIZE
from timelines.status_page import status_page
from users.decorators import viewer_of

from . import selectors
from .languages import Language, language_or_400, name_of, seen

SUGGESTED_PEOPLE = 5
SHOWN_TAGS = 30

_score = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?")


@require_safe
def popular(request: HttpRequest) -> HttpResponse:
    """A site where nothing is popular yet shows what is new."""
    viewer, language = viewer_of(request), language_or_400(request)
    page = selectors.popular(viewer, language, after=_score_or_400(request))
    is_empty = page.is_first and not page.statuses
    newest = selectors.newest(viewer, language, limit=PAGE_SIZE) if is_empty else []
    context = {"page": page, "newest": {"statuses": newest}, **_languages(language)}
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


def _answer(
    request: HttpRequest, tab: str, context: dict[str, Any], *, with_people: bool
) -> HttpResponse:
    viewer = viewer_of(request)
    people = suggestions(viewer, limit=SUGGESTED_PEOPLE) if with_people else None
    return render(request, f"explore/{tab}.html", {"tab": tab, "people": people, **context})


def _languages(chosen: str) -> dict[str, Any]:
    """What can be chosen, with what was, even if nobody has written in it lately."""
    languages = seen()
    if chosen and chosen not in {language.code for language in languages}:
        languages.append(Language(chosen, name_of(chosen)))
    return {"languages": languages, "language": chosen}


def _score_or_400(request: HttpRequest) -> float | None:
    """The cursor of a popular page."""
    given = request.GET.get("after")
    if given is None:
        return None
    if not _score.fullmatch(given):
        raise BadRequest(f"after must be a number, got “{given[:40]}”.")
    return float(given)
