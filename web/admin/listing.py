"""A list that never reads a big table through, whatever it is asked for."""

from typing import Any

from django.contrib.admin.views.main import ORDER_VAR, ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest

from .filters import DrillDown

# At how many rows, the newest, a filter without an index looks.
LOOKED_AT = 10_000


class BoundedList(ChangeList):
    is_bounded = False
    """Have older rows been left out?"""

    looked_at = 0
    model_admin: Any

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """That of the index which is used: any other sorts the whole table."""
        for given in (self.params, self.filter_params):
            given.pop(ORDER_VAR, None)
        order = super().get_ordering(request, queryset)
        if self._dates or self._looks_at_newest:
            order = [f"-{self._time}", "-pk"]
        return list(dict.fromkeys(order))

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        """With one lower bound: of two, SQLite may take the lower one."""
        found = super().get_queryset(request, exclude_parameters)
        since = self._dates.start if self._dates else None
        if self._looks_at_newest and (oldest := self._oldest_of_newest(request)) is not None:
            self.is_bounded, since = True, oldest
        return found if since is None else found.filter(**{f"{self._time}__gte": since})

    def _oldest_of_newest(self, request: HttpRequest) -> Any:
        """Of the period, if one was chosen. None if there are no older rows."""
        rows = self.model._default_manager.order_by(f"-{self._time}")
        self.looked_at = self.model_admin.looks_at(request)
        if dates := self._dates:
            rows = dates.queryset(request, rows).filter(**{f"{self._time}__gte": dates.start})
        last = rows.values_list(self._time, flat=True)[self.looked_at - 1 : self.looked_at]
        return next(iter(last), None)

    @property
    def _looks_at_newest(self) -> bool:
        return not self.query and bool(self._filters_without_index())

    @property
    def _time(self) -> str:
        """The column by which rows are newer or older."""
        return self._dates.column if self._dates else "pk"

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
        return names <= set(self.model_admin.indexed_filters)
