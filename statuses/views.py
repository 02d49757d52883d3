"""Statuses: reading one, what people do with it, editing, deleting."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.decorators import of_reachable_account
from relations.selectors import People
from users.decorators import MemberRequest, member_action, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page
from web.in_place import done, is_in_place
from web.next_page import next_page, page_before
from web.pages.reduced_service import from_sql_while_redis_is_away

from . import selectors, services
from .forms import EditForm
from .html.menu import menu_for
from .reactions import people
from .reactions import services as reactions
from .reactions.rows import Reaction
from .reading import from_sql
from .reading.history import history_of
from .reading.shown import ShownStatus
from .removing import just_deleted
from .removing.just_deleted import leads_on
from .selectors import Show
from .threads.page import read_thread

DO: dict[Reaction, Callable[..., bool]] = {
    "boost": reactions.boost,
    "like": reactions.like,
    "bookmark": reactions.bookmark,
}
UNDO: dict[Reaction, Callable[..., bool]] = {
    "boost": reactions.unboost,
    "like": reactions.unlike,
    "bookmark": reactions.unbookmark,
}


@require_safe
@leads_on
@of_reachable_account
@from_sql_while_redis_is_away(show=from_sql.show)
def status(
    request: HttpRequest, account: User, status_id: int, *, show: Show = selectors.show
) -> HttpResponse:
    viewer = viewer_of(request)
    focus = selectors.status_or_404(account, status_id, viewer=viewer, show=show)
    if focus.boost:
        return redirect("status", focus.username, focus.status.id)
    cursors = {name: number_or_400(request, name) for name in ("after", "under")}
    thread = read_thread(focus, viewer=viewer, show=show, **cursors)
    context = {"status": focus, "thread": thread}
    return render(request, "statuses/status.html", context)


@require_safe
@leads_on
@of_reachable_account
def menu(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    """A page of its own, or the list alone for a script that opens it in place."""
    viewer = viewer_of(request)
    shown = selectors.status_or_404(account, status_id, viewer=viewer)
    context: dict[str, Any] = {"status": shown, "menu": menu_for(viewer, shown)}
    if viewer:
        context["back"] = _page_around(request, shown)
    template = "statuses/_menu.html" if is_in_place(request) else "statuses/menu.html"
    return render(request, template, context)


def _page_around(request: HttpRequest, shown: ShownStatus) -> str:
    """The page whose menu this is, unless it is the status's own: that may be gone afterwards."""
    back = next_page(request, default=page_before(request))
    own = reverse("status", args=[shown.username, shown.status.id])
    return "" if urlsplit(back).path == own else back


@member_action
def do(request: MemberRequest, status_id: int, *, reaction: Reaction) -> HttpResponse:
    status = selectors.visible_or_404(status_id, viewer=request.user)
    DO[reaction](user=request.user, status=status)
    return _back_to(request, status_id)


@member_action
def undo(request: MemberRequest, status_id: int, *, reaction: Reaction) -> HttpResponse:
    """Works even on a status that the reader no longer sees."""
    UNDO[reaction](user=request.user, status_id=selectors.original_id(status_id))
    return _back_to(request, status_id)


@member_action
def mute_thread(request: MemberRequest, status_id: int) -> HttpResponse:
    status = selectors.visible_or_404(status_id, viewer=request.user)
    blocks_and_mutes.mute_thread(user=request.user, thread=status.thread or status.id)
    return _back_to(request, status_id)


@member_action
def unmute_thread(request: MemberRequest, status_id: int) -> HttpResponse:
    """Works even if the reader no longer sees the status."""
    blocks_and_mutes.unmute_thread(user=request.user, thread=selectors.thread_id(status_id))
    return _back_to(request, status_id)


def _back_to(request: HttpRequest, status_id: int) -> HttpResponse:
    return done(request, f"{next_page(request)}#status-{status_id}")


@require_safe
@leads_on
@of_reachable_account
def liked_by(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    words = {"title": gettext("Liked by"), "nobody": gettext("Nobody has liked this post yet")}
    return _people_page(request, account, status_id, people.likers, words)


@require_safe
@leads_on
@of_reachable_account
def boosted_by(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    words = {"title": gettext("Boosted by"), "nobody": gettext("Nobody has boosted this post yet")}
    return _people_page(request, account, status_id, people.boosters, words)


def _people_page(
    request: HttpRequest,
    account: User,
    status_id: int,
    read: Callable[..., People],
    words: dict[str, str],
) -> HttpResponse:
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    shown = selectors.status_or_404(account, status_id, viewer=viewer)
    found = read(shown.status.id, viewer=viewer, max_id=max_id)
    context = {"account": account, "status": shown, "people": found, **words}
    return render(request, "statuses/people.html", context)


@require_safe
@leads_on
@of_reachable_account
def history(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    viewer = viewer_of(request)
    shown = selectors.status_or_404(account, status_id, viewer=viewer)
    versions = history_of(shown.status.id, viewer=viewer)
    context = {"account": account, "status": shown, "versions": versions}
    return render(request, "statuses/history.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@leads_on
@login_required
def edit_status(request: MemberRequest, status_id: int) -> HttpResponse:
    status = selectors.row_or_404(status_id, viewer=request.user)
    services.refuse_edit(status, by=request.user)
    back = next_page(request, default=reverse("status", args=[status.author.username, status_id]))
    now = {"text": status.text, "warning": status.warning}
    form = EditForm(request.POST if request.method == "POST" else None, initial=now)
    if form.is_valid():
        with RefusalsIn(form):
            services.edit_status(status=status, by=request.user, **form.cleaned_data)
            return done(request, f"{back}#status-{status_id}")
    return form_page(request, "statuses/edit.html", form, back=back, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@leads_on
@login_required
def delete_status(request: MemberRequest, status_id: int) -> HttpResponse:
    if is_in_place(request) and just_deleted.is_noted(request, status_id):
        return done(request, "")  # a page that was left could not tell its script
    status = selectors.status_to_delete(status_id, by=request.user)
    back = next_page(request, default=reverse("profile", args=[status.author.username]))
    if request.method != "POST":
        context = {"status": selectors.preview(status), "back": back}
        return render(request, "statuses/delete.html", context)
    services.delete_status(status=status, by=request.user)
    if not is_in_place(request):
        messages.success(request, gettext("The post is deleted."))
    response = done(request, back)
    just_deleted.note(request, response, status_id, back)
    return response
