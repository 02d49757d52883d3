"""Searching, and completing what somebody types."""

from typing import Any

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
from web.cursors import number_or_400
from web.refusals import Refusal, answers_json

from . import completion, selectors, tags

TRENDING = 10
KEPT_SECONDS = 30


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    query, page = _query(request), _page_or_400(request)
    if not query:
        nothing_asked = {"query": "", "trending": trending_tags(TRENDING)}
        return render(request, "search/search.html", nothing_asked)
    viewer = viewer_of(request)
    throttling.count_search(subject=_subject(request))
    results = selectors.search(query, viewer=viewer, page=page)
    context = {"query": query, "results": results, "people": results.people, "page": page}
    return render(request, "search/search.html", context)


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
    found = selectors.people_named(query, viewer=request.user, limit=selectors.PEOPLE_PER_PAGE)
    members = set(list_.members.filter(user__in=found).values_list("user_id", flat=True))
    people = known_to(request.user, found)
    context = {"list": list_, "query": query, "people": people, "members": members}
    return render(request, "search/find_members.html", context)


@require_safe
@login_required
@cache_control(private=True, max_age=KEPT_SECONDS)
@answers_json()
def complete(request: MemberRequest) -> HttpResponse:
    query = _query(request)
    throttling.count_completion(user_id=request.user.pk)
    people = completion.people(request.user, query) if query.startswith("@") else []
    found = tags.find(query, limit=completion.SHOWN) if query.startswith("#") else []
    return JsonResponse(
        {"people": [_offered(person) for person in people], "tags": [it._asdict() for it in found]}
    )


def _offered(person: Person) -> dict[str, Any]:
    return {
        "id": person.id,
        "username": person.username,
        "name": person.display_name,
        "avatar": person.avatar,
    }
