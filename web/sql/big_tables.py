"""Lists of the admin over tables that are too big to be counted or searched row by row."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.utils.html import format_html
from django.utils.safestring import SafeString

if TYPE_CHECKING:
    BasePaginator = Paginator[Any]
else:
    BasePaginator = Paginator

# Beyond that a filter or a search finds more than pages do.
MOST_ROWS = 5_000
# The longest number that fits every column.
MOST_DIGITS = 18


class BoundedPaginator(BasePaginator):
    most_rows: int | None = None
    """Where fewer are enough."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[: self.most_rows or MOST_ROWS].count())


def number_in(term: str) -> int | None:
    return int(term) if term.isdecimal() and len(term) <= MOST_DIGITS else None


def link(address: str, text: object) -> SafeString:
    return format_html('<a href="{}">{}</a>', address, text)
