"""The queue, and the page of a case, which is decided there."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from statuses.models import Status
from users.decorators import MemberRequest
from users.selectors import outranks
from web.cursors import number_or_400
from web.forms import RefusalsIn, posted, refusal_of
from web.refusals import Refusal, marked

from ..appeals.selectors import appeals_of, open_appeals
from ..models import Case, Report
from ..selectors import visible_reports
from ..services import count_before
from . import canned, claims, deciding, history, notes
from .access import may_decide, moderators_only
from .deciding import CHOICES
from .forms import DecisionForm, FilterForm, NoteForm
from .selectors import case_or_404, figures, listing, next_case

MOST_WORDS = 20
MOST_APPEALS = 100
MOST_APPEALS_SHOWN = 5


@require_safe
@moderators_only
def queue(request: MemberRequest) -> HttpResponse:
    form = FilterForm(request.GET)
    if not form.is_valid():
        raise BadRequest("There is no such filter.")
    wanted = {"category": form.cleaned_data["category"], "whose": form.cleaned_data["whose"]}
    found = listing(request.user, **wanted, after=number_or_400(request, "after"))
    now = timezone.now()
    context = {"listing": found, "form": form, "wanted": wanted, "figures": figures(now)}
    return render(request, "moderation/queue/queue.html", frame(request, "queue") | context)


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def case(request: MemberRequest, case_id: int) -> HttpResponse:
    """Opening it takes it. A POST decides, or fills in a canned answer."""
    found = case_or_404(_first_report(case_id, request), viewer=request.user)
    if found.pk != case_id:
        return redirect("moderation_case", found.pk)
    if _may_decide_about(request, found):
        claims.hold(found, by=request.user)
        found = case_or_404(case_id, viewer=request.user)
    form = DecisionForm(posted(request))
    if form.is_bound and "canned" in request.POST:
        form = DecisionForm(initial=_with_canned(request, found))
    elif form.is_valid() and _decided(request, found, form):
        return _to_the_next(request)
    return _page(request, found, form)


def _first_report(number: int, request: MemberRequest) -> int:
    """Any report of a case leads to it."""
    if Case.objects.filter(pk=number).exists():
        return number
    report = visible_reports(request.user).filter(pk=number).values_list("case_id", flat=True)
    return report.first() or number


def _may_decide_about(request: MemberRequest, found: Case) -> bool:
    """Others may only look, or decide nothing about this account."""
    return may_decide(request) and (not found.account or outranks(request.user, found.account))


def _status_of(found: Case) -> Status | None:
    return Status.objects.with_names().filter(pk=found.status_id).first()


def _with_canned(request: MemberRequest, found: Case) -> dict[str, Any]:
    """Where no script puts the words into the box."""
    answers = canned.canned_answers(canned.language_of(found.account))
    number = request.POST["canned"]
    known = number.isdecimal() and len(number) < 4 and int(number) < len(answers)
    words = answers[int(number)].words if known else request.POST.get("reason", "")
    return {"choice": request.POST.get("choice", ""), "reason": words}


def _decided(request: MemberRequest, found: Case, form: DecisionForm) -> bool:
    if not may_decide(request):
        raise Refusal(gettext("Only moderators may do this."), code="forbidden", status=403)
    with RefusalsIn(form):
        taken = deciding.decide(case=found, by=request.user, **form.cleaned_data)
        for measure in taken[:1]:
            done = {"done": measure.get_kind_display(), "name": measure.username}
            messages.success(request, gettext("%(done)s: @%(name)s") % done)
        return True
    return False


def _to_the_next(request: MemberRequest) -> HttpResponse:
    following = next_case(request.user)
    if following is None:
        return redirect("moderation_queue")
    return redirect("moderation_case", following.pk)


def _page(request: MemberRequest, found: Case, form: DecisionForm) -> HttpResponse:
    reports = history.reports_of(found, viewer=request.user)
    context = frame(request, "queue") | {
        "case": found,
        "form": form,
        "listing": listing(request.user),
        **_what_was_reported(request, found, reports),
        **_around(request, found, reports[0] if reports else Report(evidence={})),
        **_desk(request, found, form),
        "seen": count_before(reports[:1]),
    }
    status = 400 if form.is_bound else 200
    answer = render(request, "moderation/queue/case.html", context, status=status)
    return marked(answer, refusal_of(form))


def _what_was_reported(
    request: MemberRequest, found: Case, reports: list[Report]
) -> dict[str, Any]:
    with_words = [it for it in reports if it.words]
    return {
        "reports": reports,
        "said": with_words[:MOST_WORDS],
        "more": len(reports) - len(with_words[:MOST_WORDS]),
        "is_held": found.is_held(),
        "is_mine": found.is_held() and found.held_by_id == request.user.pk,
    }


def _around(request: MemberRequest, found: Case, report: Report) -> dict[str, Any]:
    evidence, viewer = report.evidence, request.user
    status = _status_of(found) if found.status_id else None
    answers = status.reply_to_id if status else evidence.get("reply_to")
    return {
        "evidence": evidence,
        "reported_at": report.created_at,
        "changes": history.changes(evidence, status, found),
        "around": history.surroundings(found.status_id, answers, viewer=viewer),
        "reported": history.record_of(found.account, viewer=viewer),
        "spoken_to": history.record_of(history.spoken_to(evidence), viewer=viewer),
    }


def _desk(request: MemberRequest, found: Case, form: DecisionForm) -> dict[str, Any]:
    may = _may_decide_about(request, found)
    names = deciding.choices_for(found.account, _status_of(found)) if may else []
    language, named = canned.language_of(found.account), {"name": found.username}
    return {
        "choices": [(it, CHOICES[it], CHOICES[it].deed % named) for it in names],
        "chosen": form["choice"].value() or "",
        "canned": canned.canned_answers(language) if names else [],
        "language": language,
        "notes": notes.notes_on(found),
        "note_form": NoteForm(),
        "appeals": appeals_of(found.account, viewer=request.user)[:MOST_APPEALS_SHOWN],
        "may_write": may_decide(request),
        "may_take_over": may and request.user.is_superuser,
    }


def frame(request: MemberRequest, here: str) -> dict[str, Any]:
    """What every page of moderators shows."""
    return {"here": here, "appeals_count": open_appeals(request.user)[:MOST_APPEALS].count()}


@require_POST
@moderators_only
def let_go(request: MemberRequest, case_id: int) -> HttpResponse:
    claims.let_go(case_or_404(case_id, viewer=request.user), by=request.user)
    return redirect("moderation_queue")


@require_POST
@moderators_only
def take_over(request: MemberRequest, case_id: int) -> HttpResponse:
    found = case_or_404(case_id, viewer=request.user)
    if not _may_decide_about(request, found):
        raise Refusal(gettext("Only moderators may do this."), code="forbidden", status=403)
    claims.take_over(found, by=request.user)
    return redirect("moderation_case", case_id)


@require_POST
@moderators_only
def add_note(request: MemberRequest, case_id: int) -> HttpResponse:
    found = case_or_404(case_id, viewer=request.user)
    form = NoteForm(request.POST)
    if not form.is_valid():
        raise Refusal(" ".join(form.errors["text"]), code="note")
    notes.add_note(case=found, by=request.user, text=form.cleaned_data["text"])
    return redirect(reverse("moderation_case", args=[case_id]) + "#notes")
