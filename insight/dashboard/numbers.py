"""How figures are written: short on axes, whole in tables."""

from typing import Literal

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext

from ..precisions import HOUR, MINUTE

Unit = Literal["count", "ms", "percent", "bytes"]
# Of a step: None if nothing is known.
Value = float | None

UNKNOWN = "\N{EN DASH}"
SHORT = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def shown(value: Value, unit: Unit) -> str:
    if value is None:
        return UNKNOWN
    if unit == "ms":
        return duration(value)
    if unit == "bytes":
        return filesizeformat(value)
    if unit == "percent":
        return gettext("%(number)s %%") % {"number": _trimmed(value)}
    return whole(value)


def whole(value: float) -> str:
    return number_format(round(value), 0, force_grouping=True)


def duration(ms: float) -> str:
    """“4.2 ms”, “162 ms”, “2.8 s”, “3 min”, “2 h”."""
    seconds = ms / 1000
    if ms < 999.5:
        return f"{_trimmed(ms) if ms < 10 else _number(ms, 0)} ms"
    if seconds < 2 * MINUTE:
        return f"{_trimmed(seconds) if seconds < 10 else _number(seconds, 0)} s"
    if seconds < 2 * HOUR:
        return f"{_number(seconds / MINUTE, 0)} min"
    return f"{_number(seconds / HOUR, 0)} h"


def short(value: float, unit: Unit) -> str:
    """For an axis: “3.6 k”, “250 ms”."""
    if unit != "count":
        return shown(value, unit) if value else "0"
    for size, letter in SHORT:
        if value >= size:
            return f"{_trimmed(value / size)} {letter}"
    return _trimmed(value)


def _trimmed(value: float) -> str:
    """One digit after the point, if it says anything."""
    return _number(value, 0 if round(value, 1) == round(value) else 1)


def _number(value: float, digits: int) -> str:
    return number_format(round(value, digits), digits, use_l10n=True)
