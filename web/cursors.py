"""The numbers in an address that pick a page: ids of statuses and follows."""

import re
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext

from .refusals import Refusal

HIGHEST_ID = 2**53 - 1
CURSORS = ("max_id", "since_id", "min_id")

_number = re.compile("[0-9]{1,16}")
_score = re.compile(r"[0-9]{1,9}(\.[0-9]{1,20})?")


def number_or_400(request: HttpRequest, name: str) -> int | None:
    given = request.GET.get(name)
    if given is None:
        return None
    if not _number.fullmatch(given) or int(given) > HIGHEST_ID:
        raise _no_such_page()
    return int(given)


def score_or_400(request: HttpRequest) -> float | None:
    """The cursor of a ranking."""
    given = request.GET.get("after")
    if given is None:
        return None
    if not _score.fullmatch(given):
        raise _no_such_page()
    return float(given)


def _no_such_page() -> Refusal:
    return Refusal(gettext("That link doesn't work."), code="address")


def page_address(request: HttpRequest, **cursor: int | None) -> str:
    """Another page of the same timeline: what else the address says stays. Empty for None."""
    [(name, id_)] = cursor.items()
    if not id_:
        return ""
    others = [(key, values) for key, values in request.GET.lists() if key not in CURSORS]
    return f"{request.path}?{urlencode([*others, (name, id_)], doseq=True)}"
