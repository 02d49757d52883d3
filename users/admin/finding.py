"""Finding rows by the account that they are about."""

from web.admin.finding import Finder, by_ids

from ..models import User


def by_account(*columns: str) -> Finder:
    """By the whole name of an account, in any case."""
    return by_ids(_named, *columns)


def _named(term: str) -> list[int]:
    return list(User.objects.named([term.removeprefix("@")]).values_list("pk", flat=True))
