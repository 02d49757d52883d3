"""Timelines: home, profiles, lists."""

from collections.abc import Callable
from functools import partial

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from lists import selectors as list_selectors
from relations.selectors import is_following
from statuses.shown import ShownStatus
from users.decorators import of_account, viewer_of
from users.models import User
from web.cursors import number_or_400

from . import selectors
from .important import important
from .status_page import status_page

ORDERS = ("latest", "important")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The reader's timeline; visitors see what the site is about."""
    viewer = viewer_of(request)
    if viewer is None:
        return render(request, "landing.html")
    if _order(request) == "important":
        page = important(viewer, after=number_or_400(request, "after"))
        return render(request, "timelines/important.html", {"page": page})
    latest = status_page(request, partial(selectors.home, viewer))
    return render(request, "timelines/home.html", {"page": latest})


def _order(request: HttpRequest) -> str:
    order = request.GET.get("order", "latest")
    if order not in ORDERS:
        raise BadRequest(f"order must be latest or important, got “{order[:40]}”.")
    return order


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
