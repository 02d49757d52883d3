"""Timelines: home, profiles, lists, and what everybody says."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lists import selectors as list_selectors
from relations.selectors import is_following, suggestions
from statuses.shown import ShownStatus
from users.decorators import of_account, viewer_of
from users.models import User

from . import selectors
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
    return _profile(request, account, selectors.profile)


@require_safe
@of_account
def profile_replies(request: HttpRequest, account: User) -> HttpResponse:
    """Everything they say, replies too."""
    return _profile(request, account, selectors.with_replies)


def _profile(
    request: HttpRequest, account: User, read: Callable[..., list[ShownStatus]]
) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        "account": account,
        "page": status_page(request, partial(read, account, viewer=viewer)),
        "is_followed": is_following(viewer, account),
    }
    return render(request, "timelines/profile.html", context)


@require_safe
def list_timeline(request: HttpRequest, list_id: int) -> HttpResponse:
    viewer = viewer_of(request)
    list_ = list_selectors.list_or_404(list_id, viewer=viewer)
    page = status_page(request, partial(selectors.list_timeline, list_, viewer=viewer))
    return render(request, "lists/list.html", {"list": list_, "page": page})
