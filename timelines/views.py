"""Timelines: home, profiles, lists, tags, mentions."""

from collections.abc import Callable
from functools import partial
from typing import cast

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from lists import selectors as list_selectors
from relations.acquaintances import NOBODY
from relations.decorators import of_reachable_account
from relations.selectors import relationship_with
from statuses.html.page import compose_form, page_html
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.words import languages
from tags.interests.selectors import interests_of
from tags.selectors import folded_or_404, is_following_tag, tag_named
from users.decorators import MemberRequest, viewer_of
from users.first_steps import is_reminded
from users.models import User
from web.cursors import number_or_400
from web.languages import accepted_by, kept_in_each_language
from web.pages.kept_html import KeptHtml, holes, render_kept
from web.pages.member_page import member_page
from web.pages.reduced_service import from_sql_while_redis_is_away, is_reduced
from web.refusals import Refusal

from . import selectors
from .ranking.important import important
from .reading import reaction_timelines
from .reading.paging import status_page
from .reading.reads import FROM_REDIS, FROM_SQL, Reads

ORDERS = ("latest", "important")
# While Redis is away; the process keeps a thread for everything else.
HOMES_FROM_SQL = min(4, max(1, settings.WEB_THREADS - 1))


@require_safe
@login_required
@from_sql_while_redis_is_away(reads=FROM_SQL, at_once=HOMES_FROM_SQL)
def home(request: HttpRequest, *, reads: Reads = FROM_REDIS) -> HttpResponse:
    viewer = cast("User", request.user)
    if _order(request) == "important":
        page = important(viewer, after=number_or_400(request, "after"))
        return render(request, "timelines/important.html", {"page": page})
    latest = status_page(request, partial(reads.home, viewer))
    if not latest.entries:
        return render(request, "timelines/home_empty.html", {"page": latest})
    return _home_page(request, viewer, latest)


def _home_page(request: HttpRequest, viewer: User, page: StatusPage) -> HttpResponse:
    token = get_token(request)
    may_write = not is_reduced(request)
    has_forms = page.is_first and may_write
    values = {
        "compose": _compose(request, viewer, token) if has_forms else "",
        "first_steps": _first_steps(viewer, token=token) if has_forms else "",
        "statuses": page_html(request, page, token=token if may_write else ""),
    }
    return member_page(request, "timelines/home.html", values, token=token)


def _first_steps(viewer: User, *, token: str) -> str:
    if not is_reminded(viewer):
        return ""
    return _card(follows_nobody=not viewer.following_count).filled({"csrf_token": token})


@kept_in_each_language(20)
def _card(*, follows_nobody: bool) -> KeptHtml:
    return render_kept(
        "welcome/_card.html", {"follows_nobody": follows_nobody} | holes("csrf_token")
    )


def _compose(request: HttpRequest, viewer: User, token: str) -> SafeString:
    """The page is heavy already: scripts add the languages, and `/compose/` has all of them."""
    return compose_form(
        *(viewer, request.path),
        token=token,
        language=languages.accepted(accepted_by(request)),
        offers_all_languages=False,
    )


def _order(request: HttpRequest) -> str:
    order = request.GET.get("order", "latest")
    if order not in ORDERS:
        raise Refusal(gettext("That link doesn't work."), code="address")
    return order


@require_safe
@of_reachable_account
@from_sql_while_redis_is_away(reads=FROM_SQL)
def profile(request: HttpRequest, account: User, *, reads: Reads = FROM_REDIS) -> HttpResponse:
    return _profile(request, account, reads, reads.profile)


@require_safe
@of_reachable_account
@from_sql_while_redis_is_away(reads=FROM_SQL)
def profile_replies(
    request: HttpRequest, account: User, *, reads: Reads = FROM_REDIS
) -> HttpResponse:
    return _profile(request, account, reads, reads.with_replies)


def _profile(
    request: HttpRequest, account: User, reads: Reads, read: Callable[..., list[ShownStatus]]
) -> HttpResponse:
    viewer = viewer_of(request)
    relationship, followed = reads.profile_visit(viewer, account)
    page = status_page(
        request, _nothing if relationship.blocks else partial(read, account, viewer=viewer)
    )
    # Who follows a private account is for its followers.
    shows_acquaintances = page.is_first and not relationship.is_shut_out and not relationship.blocks
    context = {
        "account": account,
        "interests": interests_of(account),
        "page": page,
        "is_followed": relationship.follows,
        "follows_you": relationship.is_followed_back,
        "acquaintances": reads.among_followers(account.pk, followed)
        if shows_acquaintances
        else NOBODY,
        "is_asked": relationship.has_asked,
        "is_blocked": relationship.blocks,
        "is_muted": relationship.mutes,
        "is_shut_out": relationship.is_shut_out,
        "hides_boosts": relationship.hides_boosts,
    }
    return render(request, "timelines/profile.html", context)


def _nothing(**_cursors: int | None) -> list[ShownStatus]:
    return []


@require_safe
@of_reachable_account
def likes(request: HttpRequest, account: User) -> HttpResponse:
    """Others see them only if the account wants that."""
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    if viewer != account:
        _refuse_likes(viewer, account)
    page = reaction_timelines.liked(account, viewer=viewer, max_id=max_id)
    return render(request, "timelines/likes.html", {"account": account, "page": page})


def _refuse_likes(viewer: User | None, account: User) -> None:
    if not account.likes_are_public:
        raise Http404("These likes are private.")
    if account.is_private and relationship_with(viewer, account).is_shut_out:
        raise Http404("These likes are for followers.")


@require_safe
@login_required
def bookmarks(request: MemberRequest) -> HttpResponse:
    page = reaction_timelines.bookmarked(request.user, max_id=number_or_400(request, "max_id"))
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
def tag(request: HttpRequest, name: str) -> HttpResponse:
    """A tag has one address, whatever its spelling. People link to tags before they are used."""
    folded = folded_or_404(name)
    if name != folded:
        query = request.META.get("QUERY_STRING", "")
        address = reverse("tag", args=[folded])
        return redirect(f"{address}?{query}" if query else address, permanent=True)
    viewer, tag = viewer_of(request), tag_named(folded)
    context = {
        "tag": tag,
        "page": status_page(request, partial(selectors.tag_timeline, tag, viewer=viewer)),
        "is_followed": is_following_tag(viewer, tag),
    }
    return render(request, "tags/tag.html", context)
