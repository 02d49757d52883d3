"""What an export of an account consists of.

An app's module `exporting.py` says, for each of its references to an account, in which part of the
export it is, or why it is left out. A test fails for a reference that is forgotten.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from django.db import models
from django.utils.module_loading import autodiscover_modules
from django_stubs_ext import StrOrPromise

from ..models import User

Row = Mapping[str, Any]
Rows = Callable[[User], Iterator[Row]]
M = TypeVar("M", bound=models.Model)

AT_ONCE = 500


@dataclass(frozen=True)
class Part:
    """Becomes `<name>.json` and `<name>.html`."""

    name: str
    title: StrOrPromise
    rows: Rows


_parts: dict[str, Part] = {}
_known: set[str] = set()


def exports(
    name: str, *, title: StrOrPromise, covers: Collection[str] = ()
) -> Callable[[Rows], Rows]:
    """Registers a generator of rows, which hold what JSON can hold.

    `covers`: the references to accounts that it follows, such as `statuses.Status.author`.
    """

    def register(rows: Rows) -> Rows:
        _parts[name] = Part(name, title, rows)
        _known.update(covers)
        return rows

    return register


def leave_out(*references: str, because: str) -> None:
    if not because:
        raise ValueError("Say why it is left out")
    _known.update(references)


def parts() -> list[Part]:
    _discover()
    return list(_parts.values())


def known() -> set[str]:
    """References to accounts that are exported, or left out on purpose."""
    _discover()
    return _known


def walk(rows: models.QuerySet[M]) -> Iterator[M]:
    """All rows by id, some at a time: an account may have a million."""
    last, left = 0, rows.order_by("pk")
    while some := list(left.filter(pk__gt=last)[:AT_ONCE]):
        yield from some
        last = some[-1].pk


@cache
def _discover() -> None:
    from . import account  # noqa: F401 - registers what this app keeps

    autodiscover_modules("exporting")
