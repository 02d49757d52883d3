"""Tables of millions of rows in the admin: pages and searches that read only some of them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

# Words are looked for in the newest rows only, and no page lies further down.
NEWEST = 10_000
MOST_FOUND = 1_000

if TYPE_CHECKING:
    from django.contrib import admin

    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = object


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # of whatever the admin lists
    """Counts no further than `NEWEST`: to count a table is to read it."""

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment] # as the admin gives it
        return rows.values("pk")[:NEWEST].count()


class BigTable(ModelAdmin):
    """For a ModelAdmin whose table has ids that grow with time."""

    paginator = BoundedPaginator
    show_full_result_count = False
    ordering = ("-pk",)
    searches_newest = True
    """For words in `search_fields`: columns of the table itself, since joins may read the other."""

    def find_by_index(self, term: str) -> Iterable[int]:  # noqa: ARG002 - finds nothing by itself
        """Ids of rows that are what was searched for, however old; found without a scan."""
        return ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """What `find_by_index` finds, and those of the newest rows that have the words."""
        if not search_term.strip():
            return queryset, False
        found = {*self.find_by_index(search_term.strip())}
        if self.searches_newest:
            newest = queryset.filter(pk__gt=self._below_the_newest())
            rows, _ = super().get_search_results(request, newest, search_term)
            found.update(rows.order_by("-pk").values_list("pk", flat=True)[:MOST_FOUND])
        return queryset.filter(pk__in=found), False

    def _below_the_newest(self) -> int:
        ids = self.model._default_manager.order_by("-pk").values_list("pk", flat=True)
        return next(iter(ids[NEWEST : NEWEST + 1]), 0)
