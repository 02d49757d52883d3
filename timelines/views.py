"""Timelines: home, profiles, lists, tags, mentions."""

from collections.abc import Callable
from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from lists import selectors as list_selectors
from relations.decorators import of_reachable_account
from relations.selectors import bond_with
from statuses.html.page import compose_form, page_html
from statuses.html.rendering import Reader
from statuses.selectors import moderates
from statuses.shown import ShownStatus
from statuses.words.tags import fold
from users import throttling
from users.decorators import MemberRequest, member_action, patience_page, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.member_page import member_page
from web.next_page import next_page

from . import own_deeds, selectors, services
from .ranking.important import important
from .status_page import StatusPage, status_page

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
    if not latest.statuses:
        return render(request, "timelines/home_empty.html", {"page": latest})
    return _home_page(request, viewer, latest)


def _home_page(request: HttpRequest, viewer: User, page: StatusPage) -> HttpResponse:
    token = get_token(request)
    reader = Reader(viewer.pk, moderates(viewer))
    values = {
        "compose": compose_form(viewer, request.path, token=token) if page.is_first else "",
        "statuses": page_html(request, page, reader, token=token),
    }
    return member_page(request, "timelines/home.html", values, token=token)


def _order(request: HttpRequest) -> str:
    order = request.GET.get("order", "latest")
    if order not in ORDERS:
        raise BadRequest(f"order must be latest or important, got “{order[:40]}”.")
    return order


@require_safe
@of_reachable_account
def profile(request: HttpRequest, account: User) -> HttpResponse:
    return _profile(request, account, selectors.profile)


@require_safe
@of_reachable_account
def profile_replies(request: HttpRequest, account: User) -> HttpResponse:
    """Everything they say, replies too."""
    return _profile(request, account, selectors.with_replies)


def _profile(
    request: HttpRequest, account: User, read: Callable[..., list[ShownStatus]]
) -> HttpResponse:
    viewer = viewer_of(request)
    bond = bond_with(viewer, account)
    page = status_page(request, _nothing if bond.blocks else partial(read, account, viewer=viewer))
    context = {
        "account": account,
        "page": page,
        "is_followed": bond.follows,
        "is_asked": bond.has_asked,
        "is_blocked": bond.blocks,
        "is_muted": bond.mutes,
        "is_shut_out": bond.is_shut_out,
        "hides_boosts": bond.hides_boosts,
    }
    return render(request, "timelines/profile.html", context)


def _nothing(**_cursors: int | None) -> list[ShownStatus]:
    """Of somebody whom the reader blocks."""
    return []


@require_safe
@of_reachable_account
def likes(request: HttpRequest, account: User) -> HttpResponse:
    """For others only if the account wants that."""
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    if viewer != account:
        _refuse_likes(viewer, account)
    page = own_deeds.liked(account, viewer=viewer, max_id=max_id)
    return render(request, "timelines/likes.html", {"account": account, "page": page})


def _refuse_likes(viewer: User | None, account: User) -> None:
    """Raises Http404."""
    if not account.likes_are_public:
        raise Http404("These likes are private.")
    if account.is_private and bond_with(viewer, account).is_shut_out:
        raise Http404("These likes are for followers.")


@require_safe
@login_required
def bookmarks(request: MemberRequest) -> HttpResponse:
    page = own_deeds.bookmarked(request.user, max_id=number_or_400(request, "max_id"))
    return render(request, "timelines/bookmarks.html", {"page": page})


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
