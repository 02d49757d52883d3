"""Reporting, and reading what moderators say."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from relations.selectors import reachable_or_404, relationship_with
from statuses.reading.shown import ShownStatus
from statuses.selectors import visible_or_404
from users.decorators import MemberRequest, member_action, of_account
from users.models import User
from web.forms import RefusalsIn, form_page
from web.next_page import next_page
from web.refusals import Refusal

from . import reporting, services
from .forms import ReportForm
from .outcomes import has_led_to_a_measure, reports_by

Report = Callable[..., object]


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report_status(request: MemberRequest, status_id: int) -> HttpResponse:
    status = visible_or_404(status_id, viewer=request.user)
    context = {
        "status": ShownStatus(status.id, status),
        "username": status.username,
        "back": next_page(request, default=reverse("status", args=[status.username, status.id])),
    }
    return _report_page(request, status.author_id, {"status": status}, context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@of_account
def report_account(request: MemberRequest, account: User) -> HttpResponse:
    profile = reverse("profile", args=[account.username])
    context = {"username": account.username, "back": next_page(request, default=profile)}
    return _report_page(request, account.pk, {"account": account}, context)


def _report_page(
    request: MemberRequest, account_id: int, thing: dict[str, Any], context: dict[str, Any]
) -> HttpResponse:
    if account_id == request.user.pk:
        raise Refusal(gettext("You can't report yourself."), code="self")
    form = ReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _reported(request.user, thing, form):
        way = urlencode({"account": context["username"], "next": context["back"]})
        return redirect(f"{reverse('report_sent')}?{way}")
    return form_page(request, "moderation/report.html", form, **context)


def _reported(reporter: User, thing: dict[str, Any], form: ReportForm) -> bool:
    report: Report = reporting.report_status if "status" in thing else reporting.report_account
    with RefusalsIn(form):
        report(reporter=reporter, **thing, **form.cleaned_data)
        return True
    return False


@require_safe
@login_required
def report_sent(request: MemberRequest) -> HttpResponse:
    context: dict[str, Any] = {"back": next_page(request)}
    with suppress(Http404):
        account = reachable_or_404(request.GET.get("account", ""), viewer=request.user)
        if account.pk != request.user.pk:
            context |= {
                "account": account,
                "relationship": relationship_with(request.user, account),
            }
    return render(request, "moderation/report_sent.html", context)


@require_safe
@login_required
def report(request: MemberRequest, report_id: int) -> HttpResponse:
    made = get_object_or_404(reports_by(request.user), pk=report_id)
    context = {"report": made, "has_led_to_a_measure": has_led_to_a_measure(made)}
    return render(request, "moderation/own_report.html", context)


@member_action
def acknowledge(request: MemberRequest, warning_id: int) -> HttpResponse:
    warning = get_object_or_404(request.user.warnings, pk=warning_id)
    services.acknowledge(warning=warning)
    return redirect(next_page(request))
