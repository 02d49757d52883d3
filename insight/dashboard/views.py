"""The dashboard: what the site does, how long it takes, and what is wrong."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from users.decorators import MemberRequest
from web.pages.reduced_service import from_sql_while_redis_is_away

from . import busiest, files, people, tables
from .access import for_readers_of_figures
from .parts import frame_id, look, parts_of
from .ranges import RANGES, Range, range_called

Figures = Callable[[MemberRequest, Range], dict[str, Any]]


def all_figures(request: MemberRequest, shown: Range) -> dict[str, Any]:
    found = look(shown)
    parts = parts_of(found)
    return {
        "parts": parts,
        "plots": [(it, tables.table_of(it), parts[frame_id(it)]) for it in found.plots],
        "marks": found.marks,
        "memory": found.memory,
        "people": people.people(),
        "slowest": busiest.slowest(),
        "viewed": busiest.viewed(request.user),
    }


def without_redis(_request: MemberRequest, _shown: Range) -> dict[str, Any]:
    """What SQL keeps."""
    return {"people": people.from_sql()}


@require_safe
@for_readers_of_figures
@from_sql_while_redis_is_away(figures=without_redis)
def dashboard(request: MemberRequest, figures: Figures = all_figures) -> HttpResponse:
    shown = range_called(request.GET.get("range", ""))
    context = {"shown": shown, "ranges": RANGES}
    return render(request, "insight/dashboard.html", context | figures(request, shown))


@require_safe
@for_readers_of_figures
def file(request: MemberRequest, key: str) -> HttpResponse:
    """The table of a plot, for programs."""
    make = files.FILES.get(key)
    if make is None:
        raise Http404(f"There is no table {key}.")
    return make(range_called(request.GET.get("range", "")))
