"""Appeals, as members make them, and as moderators answer them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from users.decorators import MemberRequest
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page, posted

from .. import evidence
from ..queue.access import may_decide, moderators_only
from ..queue.history import record_of
from ..queue.views import frame
from ..selectors import may_read
from . import services
from .forms import AnswerForm, AppealForm
from .selectors import (
    PAGE_SIZE,
    may_answer,
    next_appeal,
    open_appeals,
    own_measure_or_404,
    visible_appeals,
)
from .suspended import suspended_by


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def own_measure(request: MemberRequest, measure_id: int) -> HttpResponse:
    """What moderators did to the reader, why, and what became of the appeal."""
    measure = own_measure_or_404(measure_id, account=request.user)
    form = AppealForm(posted(request))
    if form.is_valid():
        with RefusalsIn(form):
            services.appeal(measure=measure, account=request.user, **form.cleaned_data)
            messages.success(request, gettext("Your appeal was sent."))
            return redirect("own_measure", measure.pk)
    context = {
        "measure": measure,
        "appeal": getattr(measure, "appeal", None),
        "may_appeal": not services.refusal(measure, request.user),
    }
    return form_page(request, "moderation/appeals/own_measure.html", form, **context)


@require_POST
@never_cache
def appeal_while_suspended(request: HttpRequest) -> HttpResponse:
    measure, account = suspended_by(request.POST.get("token", ""))
    form = AppealForm(request.POST)
    if form.is_valid():
        with RefusalsIn(form):
            services.appeal(measure=measure, account=account, **form.cleaned_data)
            return render(request, "moderation/appeals/sent.html", {"account": account})
    context = {"account": account, "token": request.POST["token"]}
    return form_page(request, "moderation/appeals/suspended.html", form, **context)


@require_safe
@moderators_only
def appeals(request: MemberRequest) -> HttpResponse:
    after = number_or_400(request, "after") or 0
    found = list(open_appeals(request.user).filter(pk__gt=after)[: PAGE_SIZE + 1])
    context = frame(request, "appeals") | {
        "appeals": found[:PAGE_SIZE],
        "after": found[PAGE_SIZE - 1].pk if len(found) > PAGE_SIZE else None,
    }
    return render(request, "moderation/appeals/appeals.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def appeal(request: MemberRequest, appeal_id: int) -> HttpResponse:
    found = get_object_or_404(visible_appeals(request.user), pk=appeal_id)
    form = AnswerForm(posted(request))
    if form.is_valid():
        with RefusalsIn(form):
            accepted, words = form.cleaned_data["decision"] == "accept", form.cleaned_data["answer"]
            services.answer(appeal=found, by=request.user, is_accepted=accepted, words=words)
            messages.success(request, gettext("The appeal is answered."))
            return _to_the_next(request)
    measure = found.measure
    readable = may_read(request.user, measure)
    context = frame(request, "appeals") | {
        "appeal": found,
        "evidence": measure.evidence if readable else evidence.withheld(measure.evidence),
        "reported": record_of(found.account, viewer=request.user),
        "why_not": may_answer(request.user, found),
        "may_write": may_decide(request),
    }
    return form_page(request, "moderation/appeals/appeal.html", form, **context)


def _to_the_next(request: MemberRequest) -> HttpResponse:
    following = next_appeal(request.user)
    return (
        redirect("moderation_appeal", following.pk) if following else redirect("moderation_appeals")
    )
