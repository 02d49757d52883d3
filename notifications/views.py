"""What concerns the reader."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from relations.selectors import pending_requests
from users.decorators import MemberRequest, member_action
from web.cursors import number_or_400, page_address
from web.in_place import done
from web.next_page import next_page
from web.pages.member_page import member_page

from . import selectors, services
from .forms import KindsForm
from .rendering import articles
from .selectors import NotificationPage


@require_safe
@login_required
def notifications(request: MemberRequest) -> HttpResponse:
    """What is on the page counts as seen from now on."""
    page = selectors.everything(request.user, max_id=number_or_400(request, "max_id"))
    if request.method == "GET" and page.arrived > request.user.notifications_seen:
        services.mark_seen(user=request.user, page=page)
    return _page(request, page)


@require_safe
@login_required
def mentions(request: MemberRequest) -> HttpResponse:
    """Only a part of them, so nothing is marked as read."""
    page = selectors.mentions(request.user, max_id=number_or_400(request, "max_id"))
    return _page(request, page)


def _page(request: MemberRequest, page: NotificationPage) -> HttpResponse:
    user, token = request.user, get_token(request)
    values = {
        "requests": _requests(pending_requests(user) if user.is_private else 0),
        "has_unread": "yes" if user.unread_notifications else "",
        "articles": articles(page.notifications),
        "older": page_address(request, max_id=page.older),
        "is_first": "" if "max_id" in request.GET else "yes",
        "only_mentions": "" if request.path == reverse("notifications") else "yes",
        "csrf_token": token,
        "here": request.get_full_path(),
        "path": request.path,
        "username": user.username,
    }
    return member_page(request, "notifications/notifications.html", values, token=token)


def _requests(number: int) -> str:
    context = {"requests": number}
    return render_to_string("notifications/_requests.html", context) if number else ""


@member_action
def mark_read(request: MemberRequest) -> HttpResponse:
    services.mark_read(user=request.user)
    return done(request, next_page(request, default=reverse("notifications")))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def choose_kinds(request: MemberRequest) -> HttpResponse:
    if request.method != "POST":
        form = KindsForm.of(request.user)
        return render(request, "notifications/settings.html", {"form": form})
    form = KindsForm(request.POST)
    if not form.is_valid():
        return render(request, "notifications/settings.html", {"form": form}, status=400)
    services.choose_kinds(user=request.user, wanted=form.cleaned_data["kinds"])
    messages.success(request, gettext("Your notification settings are saved."))
    return redirect("notification_settings")
