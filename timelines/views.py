"""Timelines: home, profiles, lists, tags, mentions, and what everybody says."""

from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from lists import selectors as list_selectors
from relations.selectors import is_following, suggestions
from statuses.tags import fold
from users import throttling
from users.decorators import MemberRequest, member_action, of_account, patience_page, viewer_of
from users.models import User
from web.next_page import next_page

from . import selectors, services
from .status_page import status_page

SUGGESTED_PEOPLE = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The reader's timeline; visitors see what the site is about."""
    viewer = viewer_of(request)
    if viewer is None:
        return render(request, "landing.html")
    page = status_page(request, partial(selectors.home, viewer))
    return render(request, "timelines/home.html", {"page": page})


@require_safe
def explore(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request)
    page = status_page(request, partial(selectors.everything, viewer=viewer))
    people = suggestions(viewer, limit=SUGGESTED_PEOPLE) if page.is_first else None
    return render(request, "timelines/explore.html", {"page": page, "people": people})


@require_safe
@of_account
def profile(request: HttpRequest, account: User) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        "account": account,
        "page": status_page(request, partial(selectors.profile, account, viewer=viewer)),
        "is_followed": is_following(viewer, account),
    }
    return render(request, "timelines/profile.html", context)


@require_safe
def list_timeline(request: HttpRequest, list_id: int) -> HttpResponse:
    viewer = viewer_of(request)
    list_ = list_selectors.list_or_404(list_id, viewer=viewer)
    page = status_page(request, partial(selectors.list_timeline, list_, viewer=viewer))
    return render(request, "lists/list.html", {"list": list_, "page": page})


@require_safe
@login_required
def mentions(request: MemberRequest) -> HttpResponse:
    page = status_page(request, partial(selectors.mentions, request.user))
    return render(request, "timelines/mentions.html", {"page": page})


@require_safe
@login_required
def tags(request: MemberRequest) -> HttpResponse:
    """The tags that the reader follows."""
    return render(request, "timelines/tags.html", {"tags": selectors.followed_tags(request.user)})


@require_safe
def tag(request: HttpRequest, name: str) -> HttpResponse:
    """A tag has one address, whatever its spelling. People link to tags before they are used."""
    folded = _folded_or_404(name)
    if name != folded:
        query = request.META.get("QUERY_STRING", "")
        address = reverse("tag", args=[folded])
        return redirect(f"{address}?{query}" if query else address, permanent=True)
    viewer, tag = viewer_of(request), selectors.tag_named(folded)
    context = {
        "tag": tag,
        "page": status_page(request, partial(selectors.tag_timeline, tag, viewer=viewer)),
        "is_followed": selectors.is_following_tag(viewer, tag),
    }
    return render(request, "timelines/tag.html", context)


@member_action
@patience_page
def follow_tag(request: MemberRequest, name: str) -> HttpResponse:
    folded = _folded_or_404(name)
    try:
        with throttling.writing("tag", user_id=request.user.pk):
            services.follow_tag(user=request.user, name=folded)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    return redirect(next_page(request, default=reverse("tag", args=[folded])))


@member_action
def unfollow_tag(request: MemberRequest, name: str) -> HttpResponse:
    folded = _folded_or_404(name)
    services.unfollow_tag(user=request.user, name=folded)
    return redirect(next_page(request, default=reverse("tag", args=[folded])))


def _folded_or_404(name: str) -> str:
    if folded := fold(name):
        return folded
    raise Http404("That can't be a tag.")
