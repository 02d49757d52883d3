"""What the search of a list finds: only what has an index. `users.admin.finding` has accounts."""

from collections.abc import Callable
from functools import reduce
from operator import or_

from django.db.models import Q

from ..sql.big_tables import number_in

# What was typed, and the rows that it finds.
Finder = Callable[[str], Q]


def by_number(column: str = "pk") -> Finder:
    """One that is too long for the column finds nothing."""
    return lambda term: Q(**{f"{column}__in": {number_in(term)} - {None}})


def by_beginning(column: str) -> Finder:
    return lambda term: Q(**{f"{column}__begins_with": term})


def by_ids(found: Callable[[str], list[int]], *columns: str) -> Finder:
    """Ids, not a subquery: beside an OR, that reads the whole table."""

    def find(term: str) -> Q:
        ids = found(term)
        return reduce(or_, (Q(**{f"{column}__in": ids}) for column in columns))

    return find
