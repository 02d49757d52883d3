"""A list that never reads a big table through, whatever it is asked for."""

from typing import Any

from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest

from .filters import DrillDown

# Of how many rows, the newest, a filter without an index looks at.
LOOKED_AT = 10_000


class BoundedList(ChangeList):
    is_bounded = False
    """Have older rows been left out?"""

    looked_at = LOOKED_AT

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """That of the index which is used: any other sorts the whole table."""
        for given in (self.params, self.filter_params):
            given.pop(ORDER_VAR, None)
        dates = self._dates
        order = [f"-{dates.column}", "-pk"] if dates else super().get_ordering(request, queryset)
        return list(dict.fromkeys(order))

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        found = super().get_queryset(request, exclude_parameters)
        is_looked_up = self.query or not self._filters_without_index()
        return found if is_looked_up else self._newest_of(found, request)

    def _newest_of(self, found: QuerySet[Any], request: HttpRequest) -> QuerySet[Any]:
        """Of the period, if one was chosen."""
        dates = self._dates
        column = dates.column if dates else "pk"
        rows = self.model._default_manager.order_by(f"-{column}")
        if dates:
            rows = dates.queryset(request, rows)
        oldest = list(rows.values_list(column, flat=True)[LOOKED_AT - 1 : LOOKED_AT])
        self.is_bounded = bool(oldest)
        return found.filter(**{f"{column}__gte": oldest[0]}) if oldest else found

    @property
    def _dates(self) -> DrillDown | None:
        """The period that was chosen."""
        for it in self.filter_specs:
            if isinstance(it, DrillDown) and it.period:
                return it
        return None

    def _filters_without_index(self) -> list[Any]:
        """Within a period, only its own index is used."""
        given = self.filter_params.keys()
        active = [it for it in self.filter_specs if given & set(it.expected_parameters())]
        others = [it for it in active if not isinstance(it, DrillDown)]
        return others if self._dates else [it for it in others if not self._has_index(it)]

    def _has_index(self, spec: Any) -> bool:
        names = {it.partition("__")[0] for it in spec.expected_parameters()}
        return names <= set(getattr(self.model_admin, "indexed_filters", ()))
