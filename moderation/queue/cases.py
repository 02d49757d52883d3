"""How reports become cases. Call these inside the transaction that opens or closes the reports."""

from collections.abc import Collection
from datetime import UTC, datetime

from django.db.models import Count, Min, QuerySet
from django.utils import timezone

from users.models import User

from ..categories import DECIDED_WITHIN, GRAVITY, Category
from ..models import Case, Report

# What reports change of their case.
WEIGHED = ("category", "gravity", "reports_count", "due_at")
NEVER = datetime.max.replace(tzinfo=UTC)


def join(report: Report) -> Case:
    """Adds a new report to the open case about the same thing, or opens one.

    Whoever reports has locked the reported account: of two at once, the second finds the case.
    """
    case = _open(Case.objects.filter(report.same_thing())).first()
    if case:
        _add(case, report.category, 1, report.created_at)
        case.save(update_fields=WEIGHED)
    else:
        case = _new(report)
        case.save(force_insert=True)
    report.case = case
    report.save(update_fields=["case"])
    return case


def settle(case_ids: Collection[int], *, by: User | None) -> None:
    """Reports of these cases were closed: what is left of them is weighed again."""
    for case in _open(Case.objects.filter(pk__in=case_ids)).order_by("pk"):
        categories = case.reports.filter(is_open=True).order_by().values_list("category")
        left = categories.annotate(count=Count("pk"), first=Min("created_at"))
        _empty(case)
        for category, count, first in left:
            _add(case, category, count, first)
        if case.reports_count:
            case.save(update_fields=WEIGHED)
        else:
            _close(case, by)


def _new(report: Report) -> Case:
    case = Case(
        pk=report.pk,
        account=report.account,
        username=report.username,
        status_id=report.status_id,
        opened_at=report.created_at,
    )
    _empty(case)
    _add(case, report.category, 1, report.created_at)
    return case


def _empty(case: Case) -> None:
    case.gravity, case.reports_count, case.due_at = 0, 0, NEVER


def _add(case: Case, category: str, count: int, first: datetime) -> None:
    gravity = GRAVITY[Category(category)]
    if gravity > case.gravity:
        case.category, case.gravity = category, gravity
    case.reports_count += count
    case.due_at = min(case.due_at, first + DECIDED_WITHIN[gravity])


def _close(case: Case, by: User | None) -> None:
    closed = {"is_open": False, "closed_at": timezone.now(), "closed_by": by, "held_by": None}
    Case.objects.filter(pk=case.pk).update(**closed, held_until=None)


def _open(cases: QuerySet[Case]) -> QuerySet[Case]:
    return cases.select_for_update(no_key=True).filter(is_open=True)
