"""Searching, and completing what somebody types."""

import re
import time
from typing import Any, Literal

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from explore.selectors import trending_tags
from lists.selectors import own_list
from relations.selectors import known_to
from taskqueue import start
from users import throttling
from users.decorators import MemberRequest, viewer_of
from users.store import Person
from web.client_address import client_address
from web.cursors import number_or_400, score_or_400
from web.in_place import is_in_place
from web.refusals import Refusal, answers_json, marked

from . import people, selectors, tags, tasks
from .completion import offering
from .completion.contacts import contacts as contacts_of
from .interests.page import people_by_interests
from .models import LONGEST_QUERY
from .posts import Order, search_posts
from .query.mending import mended
from .query.parsing import parse
from .query.syntax import BadQuery
from .showing import results

Tab = Literal["latest", "top", "people", "tags", "interests"]

TABS: tuple[Tab, ...] = ("latest", "top", "people", "tags", "interests")
TRENDING = 10
# Above the posts.
FEW_PEOPLE = 3
KEPT_SECONDS = 30
MOST_FRESH = 100

_id = re.compile("[0-9]{1,16}", re.ASCII)


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query, tab = _query(request), _tab_or_400(request)
    if tab == "interests":
        throttling.count_search(subject=_subject(request))
        return people_by_interests(request, page=_page_or_400(request))
    if not query:
        return _start(request)
    throttling.count_search(subject=_subject(request))
    context: dict[str, Any] = {"query": query, "results_in": tab}
    if tab == "people":
        return _people(request, query, context)
    if tab == "tags":
        context["tags"] = selectors.find_tags(query)
        _remember(request, query)
        return render(request, "search/tags.html", context)
    return _posts(request, query, context, order=tab)


def _start(request: HttpRequest) -> HttpResponse:
    context: dict[str, Any] = {"query": "", "trending": trending_tags(TRENDING)}
    if viewer := viewer_of(request):
        context["searches"] = selectors.saved_searches(viewer)
        context["recent"] = selectors.recent_searches(viewer)
    return render(request, "search/start.html", context)


def _people(request: HttpRequest, query: str, context: dict[str, Any]) -> HttpResponse:
    page = _page_or_400(request)
    found = selectors.find_people(query, viewer=viewer_of(request), page=page)
    _remember(request, query)
    context |= {"people": found.people, "next_page": found.next_page, "page": page}
    return render(request, "search/people.html", context)


def _posts(
    request: HttpRequest, query: str, context: dict[str, Any], *, order: Order
) -> HttpResponse:
    """With some people of that name. A query that can't be read is shown with the place where it
    goes wrong.
    """
    before, below_score = number_or_400(request, "max_id"), score_or_400(request)
    viewer = viewer_of(request)
    try:
        asked = parse(query)
        page = search_posts(
            asked,
            viewer=viewer,
            before=before,
            below_score=below_score,
            order=order,
            fresh=_fresh_or_400(request),
        )
    except BadQuery as error:
        context |= {
            "error": error.words,
            "typed": error.around(query),
            "mended": mended(query, error),
        }
        return marked(render(request, "search/bad_query.html", context), error)
    if page.is_first and asked.is_plain:
        named = people.find(query, viewer=viewer, limit=FEW_PEOPLE, also_by_bio=False)
        context["people"] = known_to(viewer, named)
    _remember(request, query)
    context |= results.around(asked, page, viewer=viewer)
    if order == "latest":
        context["live"] = results.live_address(asked, page, viewer=viewer)
    return render(request, "search/posts.html", {**context, "page": page})


def _remember(request: HttpRequest, query: str) -> None:
    """Not what a script asks for while the page is open, nor later pages."""
    viewer = viewer_of(request)
    is_new = not {"max_id", "after", "page"} & request.GET.keys()
    if viewer and is_new and not is_in_place(request):
        start.in_redis(tasks.remember, viewer.pk, query, time.time())


def _fresh_or_400(request: HttpRequest) -> list[int]:
    """Ids that the stream of this search brought."""
    given = request.GET.get("fresh")
    ids = [it for it in given.split(",") if it] if given else []
    if len(ids) > MOST_FRESH or not all(_id.fullmatch(it) for it in ids):
        raise Refusal(_("That link doesn't work."), code="address")
    return [int(it) for it in ids]


def _tab_or_400(request: HttpRequest) -> Tab:
    given = request.GET.get("tab", TABS[0])
    for tab in TABS:
        if tab == given:
            return tab
    raise Refusal(_("A search has no such page."), code="address")


def _query(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[:LONGEST_QUERY]


def _page_or_400(request: HttpRequest) -> int:
    page = number_or_400(request, "page")
    if page is not None and not 1 <= page <= selectors.MOST_PAGES:
        raise Refusal(_("A search has no such page."), code="address")
    return page or 1


def _subject(request: HttpRequest) -> str:
    viewer = viewer_of(request)
    return f"account {viewer.pk}" if viewer else client_address(request)


@require_safe
@login_required
def find_members(request: MemberRequest, list_id: int) -> HttpResponse:
    list_, query = own_list(list_id, owner=request.user), _query(request)
    throttling.count_search(subject=_subject(request))
    found = people.find(query, viewer=request.user, limit=selectors.PEOPLE_PER_PAGE)
    members = set(list_.members.filter(user__in=found).values_list("user_id", flat=True))
    shown = known_to(request.user, found)
    context = {"list": list_, "query": query, "people": shown, "members": members}
    return render(request, "search/find_members.html", context)


@require_safe
@login_required
@cache_control(private=True, max_age=KEPT_SECONDS)
@answers_json()
def complete(request: MemberRequest) -> HttpResponse:
    query = _query(request)
    throttling.count_completion(user_id=request.user.pk)
    offered = offering.people(request.user, query) if query.startswith("@") else []
    found = tags.find(query, limit=offering.SHOWN) if query.startswith("#") else []
    return JsonResponse(
        {"people": [_offered(person) for person in offered], "tags": [it._asdict() for it in found]}
    )


@require_safe
@login_required
@answers_json()
def contacts(request: MemberRequest) -> HttpResponse:
    """Nothing on the way keeps it; the script does, for some minutes (`completion.js`)."""
    throttling.count_completion(user_id=request.user.pk)
    return JsonResponse({"people": contacts_of(request.user)})


def _offered(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "username": person.username,
        "name": person.display_name,
        "avatar": person.avatar,
    }
