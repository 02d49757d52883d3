"""Finding rows by the account that they are about."""

from typing import Any

from django.db.models import QuerySet

from web.admin.finding import Finder, by_ids, newest_by_ids

from ..models import User


def by_account(column: str) -> Finder:
    """By the whole name of an account, in any case."""
    return by_ids(_named, column)


def by_either(rows: QuerySet[Any], *columns: str) -> Finder:
    """By the account in any of the columns."""
    return newest_by_ids(rows, _named, *columns)


def _named(term: str) -> list[int]:
    return list(User.objects.named([term.removeprefix("@")]).values_list("pk", flat=True))
