"""What a query that can't be read was probably meant to say."""

from collections.abc import Iterator
from datetime import date

import regex

from .parsing import OR, parse
from .syntax import BadQuery, Query

_day = regex.compile(r"((?:since|until):)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", regex.IGNORECASE)
_lonely_ends = regex.compile(rf"^(?:\s*(?:{OR}|-)(?!\S))+|(?:(?<!\S)(?:{OR}|-)\s*)+$")
_opening = '"“”„'


def mended(typed: str, error: BadQuery) -> str | None:
    """One that can be read, or nothing."""
    return next((it for it in _attempts(typed, error) if it != typed and _is_readable(it)), None)


def _attempts(typed: str, error: BadQuery) -> Iterator[str]:
    before, there, behind = error.around(typed)
    if there in _opening:
        yield f'{typed.rstrip()}"'
    if found := _day.fullmatch(there):
        name, *numbers = found.groups()
        yield f"{before}{name}{_iso(*map(int, numbers))}{behind}"
    if there == OR:
        yield _tidy(before + behind)
        yield f"{before}or{behind}"
    yield _tidy(before + behind)


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _tidy(query: str) -> str:
    return " ".join(_lonely_ends.sub("", " ".join(query.split())).split())


def _is_readable(query: str) -> bool:
    try:
        return parse(query) != Query(())
    except BadQuery:
        return False
