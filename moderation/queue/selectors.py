"""Reading the queue: a page at a time, along an index, however long it is."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Literal, NamedTuple

from django.db.models import Q, QuerySet
from django.db.models.fields.json import KT
from django.shortcuts import get_object_or_404
from django.utils import timezone

from users.models import User

from ..categories import Gravity
from ..models import Case, Report

PAGE_SIZE = 30
# Beyond that nobody counts.
MOST_COUNTED = 1_000
MOST_DECIDED = 2_000
LOOKED_BACK = timedelta(days=30)

Whose = Literal["", "mine", "free"]


class Line(NamedTuple):
    case: Case
    excerpt: str
    is_held: bool


class Listing(NamedTuple):
    lines: Sequence[Line]
    after: int | None  # the case after which the next page begins


class Figures(NamedTuple):
    by_gravity: Sequence[tuple[Gravity, int]]
    oldest: datetime | None
    decided_today: Sequence[tuple[str, int]]  # by whom, most first
    median: timedelta | None


def visible_cases(viewer: User) -> QuerySet[Case]:
    """Nobody sees the case about themselves."""
    return _but_own(viewer).select_related("held_by")


def _but_own(viewer: User) -> QuerySet[Case]:
    return Case.objects.exclude(account=viewer)


def case_or_404(case_id: int, *, viewer: User) -> Case:
    return get_object_or_404(visible_cases(viewer).select_related("account"), pk=case_id)


def listing(
    viewer: User, *, category: str = "", whose: Whose = "", after: int | None = None
) -> Listing:
    cases = _wanted(viewer, category, whose)
    last = case_or_404(after, viewer=viewer) if after else None
    found = _below(last, cases, PAGE_SIZE + 1) if last else list(cases[: PAGE_SIZE + 1])
    shown = found[:PAGE_SIZE]
    excerpts, now = _excerpts(shown), timezone.now()
    lines = [Line(it, excerpts.get(it.pk, ""), it.is_held(now)) for it in shown]
    return Listing(lines, shown[-1].pk if len(found) > PAGE_SIZE else None)


def next_case(viewer: User) -> Case | None:
    """The first that the viewer may decide, and nobody else holds."""
    found = _wanted(viewer, "", "").filter(_not_held(viewer))
    if not viewer.is_superuser:  # as `outranks` says
        found = found.exclude(Q(account__is_staff=True) | Q(account__is_superuser=True))
    return found.first()


def figures(viewer: User, now: datetime) -> Figures:
    """Five queries, each along an index and bounded. They don't tell of a case about the viewer."""
    open_ = _but_own(viewer).filter(is_open=True)
    counts = [(it, open_.filter(gravity=it)[:MOST_COUNTED].count()) for it in reversed(Gravity)]
    closed = _but_own(viewer).filter(is_open=False, closed_at__gte=now - LOOKED_BACK)
    columns = ("opened_at", "closed_at", "closed_by__username")
    decided = list(closed.order_by("-closed_at").values_list(*columns)[:MOST_DECIDED])
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    names = Counter(name or "" for _, end, name in decided if end and end >= today)
    took = [end - begin for begin, end, _ in decided if end]
    return Figures(
        counts,
        open_.order_by("opened_at").values_list("opened_at", flat=True).first(),
        names.most_common(),
        median(took) if took else None,
    )


def open_count(viewer: User) -> int:
    """Of the navigation, where more than a hundred are as many as a hundred."""
    return visible_cases(viewer).filter(is_open=True)[:100].count()


def _wanted(viewer: User, category: str, whose: Whose) -> QuerySet[Case]:
    cases = visible_cases(viewer).filter(is_open=True).order_by("-gravity", "due_at", "id")
    if category:
        # All of a category are equally grave.
        cases = cases.filter(category=category).order_by("due_at", "id")
    if whose == "mine":
        cases = cases.filter(held_by=viewer, held_until__gt=timezone.now())
    if whose == "free":
        cases = cases.filter(_not_held(None))
    return cases


def _not_held(viewer: User | None) -> Q:
    free = Q(held_by=None) | Q(held_until__lte=timezone.now())
    return free | Q(held_by=viewer) if viewer else free


def _below(last: Case, cases: QuerySet[Case], count: int) -> list[Case]:
    """Two queries, each of which enters the index where it goes on."""
    before = Q(due_at=last.due_at, id__lte=last.pk)
    same = cases.filter(~before, gravity=last.gravity, due_at__gte=last.due_at)
    found = list(same[:count])
    return found + list(cases.filter(gravity__lt=last.gravity)[: count - len(found)])


def _excerpts(cases: Sequence[Case]) -> dict[int, str]:
    """Of the first report of each, without the rest of the evidence."""
    reports = Report.objects.filter(pk__in=[case.pk for case in cases])
    said = reports.values_list(
        "pk", KT("evidence__warning"), KT("evidence__text"), KT("evidence__bio")
    )
    return {pk: " · ".join(filter(None, texts)) for pk, *texts in said}
