"""Searching, and completing what somebody types."""

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
from users import throttling
from users.decorators import MemberRequest, viewer_of
from users.store import Person
from web.client_address import client_address
from web.cursors import number_or_400, score_or_400
from web.refusals import Refusal, answers_json, marked

from . import people, selectors, tags
from .completion import offering
from .completion.contacts import contacts as contacts_of
from .interests.page import people_by_interests
from .posts import Order, search_posts
from .query.parsing import parse
from .query.syntax import BadQuery

Tab = Literal["latest", "top", "people", "tags", "interests"]

TABS: tuple[Tab, ...] = ("latest", "top", "people", "tags", "interests")
TRENDING = 10
# Above the posts.
FEW_PEOPLE = 3
KEPT_SECONDS = 30


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query, tab = _query(request), _tab_or_400(request)
    if tab == "interests":
        throttling.count_search(subject=_subject(request))
        return people_by_interests(request, page=_page_or_400(request))
    if not query:
        nothing_asked = {"query": "", "trending": trending_tags(TRENDING)}
        return render(request, "search/start.html", nothing_asked)
    throttling.count_search(subject=_subject(request))
    context: dict[str, Any] = {"query": query, "results_in": tab}
    if tab == "people":
        return _people(request, query, context)
    if tab == "tags":
        context["tags"] = selectors.find_tags(query)
        return render(request, "search/tags.html", context)
    return _posts(request, query, context, order=tab)


def _people(request: HttpRequest, query: str, context: dict[str, Any]) -> HttpResponse:
    page = _page_or_400(request)
    found = selectors.find_people(query, viewer=viewer_of(request), page=page)
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
            asked, viewer=viewer, before=before, below_score=below_score, order=order
        )
    except BadQuery as error:
        context |= {"error": error.words, "typed": error.around(query)}
        return marked(render(request, "search/bad_query.html", context), error)
    if page.is_first and asked.is_plain:
        named = people.find(query, viewer=viewer, limit=FEW_PEOPLE, also_by_bio=False)
        context["people"] = known_to(viewer, named)
    return render(request, "search/posts.html", {**context, "page": page})


def _tab_or_400(request: HttpRequest) -> Tab:
    given = request.GET.get("tab", TABS[0])
    for tab in TABS:
        if tab == given:
            return tab
    raise Refusal(_("A search has no such page."), code="address")


def _query(request: HttpRequest) -> str:
    return request.GET.get("q", "").strip()[: selectors.LONGEST_QUERY]


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
