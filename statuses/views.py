"""Statuses: posting, reading one, deleting."""

from collections.abc import Callable
from typing import Literal

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS, BadRequest, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from users import throttling
from users.decorators import (
    MemberRequest,
    limited,
    member_action,
    of_account,
    patience_page,
    viewer_of,
)
from users.models import User
from users.selectors import UNCONFIRMED
from web.forms import RefusalsIn
from web.next_page import next_page

from . import deeds, selectors, services
from .forms import StatusForm
from .models import Status

Doing = Literal["boost", "like", "bookmark"]
DO: dict[Doing, Callable[..., bool]] = {
    "boost": deeds.boost,
    "like": deeds.like,
    "bookmark": deeds.bookmark,
}
UNDO: dict[Doing, Callable[..., bool]] = {
    "boost": deeds.unboost,
    "like": deeds.unlike,
    "bookmark": deeds.unbookmark,
}


@member_action
@patience_page
def post_status(request: MemberRequest) -> HttpResponse:
    form = StatusForm(request.POST)
    if form.is_valid() and _posted(request.user, form):
        return redirect(next_page(request))
    unconfirmed = form.has_error(NON_FIELD_ERRORS, UNCONFIRMED)
    context = {"form": form, "back": next_page(request), "unconfirmed": unconfirmed}
    return render(request, "statuses/compose.html", context, status=403 if unconfirmed else 400)


def _posted(author: User, form: StatusForm) -> Status | None:
    fields = dict(form.cleaned_data)
    parent_id = fields.pop("reply_to")
    with RefusalsIn(form), throttling.writing("post", user_id=author.pk):
        reply_to = selectors.status_to_answer(parent_id, by=author) if parent_id else None
        return services.post_status(author=author, reply_to=reply_to, **fields)
    return None


@require_safe
@of_account
def status(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    viewer = viewer_of(request)
    stored = selectors.status_or_404(username=account.username, status_id=status_id, viewer=viewer)
    may_delete = viewer is not None and selectors.may_delete(viewer, author_id=account.pk)
    context = {"status": stored, "may_delete": may_delete}
    return render(request, "statuses/status.html", context)


@member_action
@patience_page
def do(request: MemberRequest, status_id: int, *, deed: Doing) -> HttpResponse:
    """Boost, like or bookmark a status."""
    status = selectors.visible_or_404(status_id, viewer=request.user)
    try:
        with throttling.writing(deed, user_id=request.user.pk):
            DO[deed](user=request.user, status=status)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    return _back_to(request, status_id)


@member_action
@patience_page
def undo(request: MemberRequest, status_id: int, *, deed: Doing) -> HttpResponse:
    """Even of a status that the reader no longer sees."""
    UNDO[deed](user=request.user, status_id=status_id)
    return _back_to(request, status_id)


def _back_to(request: HttpRequest, status_id: int) -> HttpResponse:
    """To the same card on the same page."""
    return redirect(f"{next_page(request)}#status-{status_id}")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@limited("deletion")
def delete_status(request: MemberRequest, status_id: int) -> HttpResponse:
    status = selectors.status_to_delete(status_id, by=request.user)
    back = next_page(request, default=reverse("profile", args=[status.author.username]))
    if request.method != "POST":
        context = {"status": selectors.preview(status), "back": back}
        return render(request, "statuses/delete.html", context)
    services.delete_status(status=status, by=request.user)
    messages.success(request, "The status is deleted.")
    return redirect(back)
