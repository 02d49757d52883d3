"""Statuses: posting, reading one, deleting."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from users.decorators import (
    MemberRequest,
    limited,
    member_action,
    of_account,
    patience_page,
    viewer_of,
)
from users.models import User
from web.forms import RefusalsIn
from web.next_page import next_page

from . import selectors, services, throttling
from .forms import StatusForm
from .models import Status


@member_action
@patience_page
def post_status(request: MemberRequest) -> HttpResponse:
    form = StatusForm(request.POST)
    if form.is_valid() and _posted(request.user, form):
        return redirect(next_page(request))
    context = {"form": form, "back": next_page(request)}
    return render(request, "statuses/compose.html", context, status=400)


def _posted(author: User, form: StatusForm) -> Status | None:
    with RefusalsIn(form), throttling.posting(author_id=author.pk):
        return services.post_status(author=author, **form.cleaned_data)
    return None


@require_safe
@of_account
def status(request: HttpRequest, account: User, status_id: int) -> HttpResponse:
    viewer = viewer_of(request)
    stored = selectors.status_or_404(username=account.username, status_id=status_id, viewer=viewer)
    may_delete = viewer is not None and selectors.may_delete(viewer, author_id=account.pk)
    context = {"status": stored, "may_delete": may_delete}
    return render(request, "statuses/status.html", context)


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
