"""What stands beneath plots, and in files: the same rows, for people and for programs."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils.translation import gettext

from .numbers import Unit, Value, shown
from .plots import Plot, Words


class Column(NamedTuple):
    words: Words
    unit: Unit
    values: Sequence[Value]


class Row(NamedTuple):
    second: int
    cells: list[str]


class Table(NamedTuple):
    columns: list[Column]
    rows: list[Row]  # the newest first


def columns_of(plot: Plot) -> list[Column]:
    """Every line, and the period before of each that is drawn so."""
    columns = [_column(plot, it.words, it.values.now) for it in plot.columns]
    first = plot.lines[0]
    words = gettext("%(what)s, %(when)s") % {"what": first.words, "when": plot.before_words}
    return [*columns, _column(plot, words, first.values.before)]


def table_of(plot: Plot) -> Table:
    columns = columns_of(plot)
    rows = [
        Row(second, [shown(it.values[at], it.unit) for it in columns])
        for at, second in enumerate(plot.window.steps)
    ]
    return Table(columns, rows[::-1])


def file_of(plot: Plot) -> HttpResponse:
    """Times in UTC, numbers as they are, the oldest first."""
    columns = columns_of(plot)
    rows = (
        [moment(second), *(_plain(it.values[at]) for it in columns)]
        for at, second in enumerate(plot.window.steps)
    )
    return file(plot.of.key, [gettext("Time (UTC)"), *(it.words for it in columns)], rows)


def file(name: str, heads: Iterable[Words], rows: Iterable[Iterable[Any]]) -> HttpResponse:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([str(it) for it in heads])
    writer.writerows(rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    content_type = "text/csv; charset=utf-8"
    return HttpResponse(text.getvalue(), content_type=content_type, headers=headers)


def moment(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _column(plot: Plot, words: Words, values: Sequence[Value]) -> Column:
    """What is only in the table of percents are counts."""
    is_extra = any(it.words == words for it in plot.only_in_table)
    return Column(words, "count" if is_extra else plot.of.unit, values)


def _plain(value: Value) -> float | str:
    if value is None:
        return ""
    return int(value) if value == int(value) else round(value, 3)
