"""Lists of the admin over tables that are too big to be counted or searched row by row."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    BasePaginator = Paginator[Any]
    BaseAdmin = admin.ModelAdmin[Any]
else:
    BasePaginator = Paginator
    BaseAdmin = admin.ModelAdmin

# Beyond that a filter or a search finds more than pages do.
MOST_ROWS = 5_000
# The longest number that fits every column.
MOST_DIGITS = 18


class BoundedPaginator(BasePaginator):
    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MOST_ROWS].count())


class OwnFilters(BaseAdmin):
    """Takes only the filters that the page offers.

    Django takes any column, also through related tables: `?statuses=17` tells by its count who
    wrote a post that the reader can't see, and `?text__contains=x` reads the whole table.
    """

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        offered = {_parameter(it) for it in self.get_list_filter(request)}
        is_offered = lookup.split("__")[0] in offered
        return is_offered and super().lookup_allowed(lookup, value, request)


def _parameter(list_filter: Any) -> str:
    if isinstance(list_filter, str):
        return list_filter
    return str(list_filter.parameter_name)


def number_in(term: str) -> int | None:
    return int(term) if term.isdecimal() and len(term) <= MOST_DIGITS else None


def link(address: str, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, text)
