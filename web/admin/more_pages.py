"""Pages about a row that another app adds: `/admin/users/user/<id>/redis/`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise

# Takes the request, the page of the admin, and the row.
View = Callable[[HttpRequest, Any, Any], HttpResponse]


class MorePage(NamedTuple):
    name: str
    words: str | Promise
    view: View
    may: Callable[[HttpRequest], bool]


_pages: dict[str, list[MorePage]] = {}


def add(of: type[Model], page: MorePage) -> None:
    _pages.setdefault(of._meta.label, []).append(page)


def of(model: type[Model]) -> list[MorePage]:
    return _pages.get(model._meta.label, [])
