"""What the search of a list finds: only what has an index. `users.admin.finding` has accounts."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q, QuerySet

from ..sql.big_tables import number_in

# The newest.
MOST_FOUND = 1_000
# What was typed, and the rows that it finds; an empty Q if there are none.
Finder = Callable[[str], Q]


def by_number(column: str = "pk") -> Finder:
    """One that is too long for the column finds nothing."""

    def find(term: str) -> Q:
        number = number_in(term)
        return Q() if number is None else Q(**{column: number})

    return find


def by_beginning(column: str) -> Finder:
    return lambda term: Q(**{f"{column}__begins_with": term})


def by_ids(found: Callable[[str], list[int]], column: str) -> Finder:
    """Ids, not a subquery: beside an OR, that reads the whole table."""

    def find(term: str) -> Q:
        ids = found(term)
        return Q(**{f"{column}__in": ids}) if ids else Q()

    return find


def newest_by_ids(rows: QuerySet[Any], found: Callable[[str], list[int]], *columns: str) -> Finder:
    """In any of the columns. Some rows of each: to merge all that a popular account has in two of
    them takes as long as to read them.
    """

    def find(term: str) -> Q:
        ids = found(term)
        newest = rows.order_by("-pk").values_list("pk", flat=True)
        each = (newest.filter(**{f"{it}__in": ids})[:MOST_FOUND] for it in columns) if ids else ()
        keys = [pk for some in each for pk in some]
        return Q(pk__in=keys) if keys else Q()

    return find
