"""Where the page of a row leads: to lists that show what is about it, and to pages about it.

An app says so in its `admin.py`, also about the rows of apps below it. A list counts nothing: to
count a popular account's followers takes as long as to read them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.contrib.admin.utils import quote
from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import capfirst

from . import more_pages

# For a row, what the list is asked for.
Query = Callable[[Any], Mapping[str, object]]
Words = str | Promise


class _Lead(NamedTuple):
    to: type[Model]
    query: Query
    words: Words


class Link(NamedTuple):
    address: str
    words: str


_leads: dict[str, list[_Lead]] = {}


def lead(of: type[Model], *, to: type[Model], query: Query, words: Words = "") -> None:
    """From a row `of` one table to a list of the other, called `words` or by its own name."""
    known = _leads.setdefault(of._meta.label, [])
    known.append(_Lead(to, query, words or to._meta.verbose_name_plural or ""))


def of(site: AdminSite, request: HttpRequest, row: Model) -> list[Link]:
    """Those that the reader may open."""
    lists = [
        Link(f"{_list_of(it.to)}?{urlencode(it.query(row))}", capfirst(str(it.words)))
        for it in _leads.get(row._meta.label, [])
        if site.is_registered(it.to) and site.get_model_admin(it.to).has_view_permission(request)
    ]
    pages = [
        Link(_page_of(row, it.name), capfirst(str(it.words)))
        for it in more_pages.of(type(row))
        if it.may(request)
    ]
    return lists + pages


def _list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _page_of(row: Model, name: str) -> str:
    opts = row._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{name}", args=[quote(row.pk)])
