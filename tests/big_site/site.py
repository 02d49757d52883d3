"""How big it is, and who is who in it."""

from dataclasses import dataclass
from functools import cached_property

from lists.models import List
from statuses.models import Status
from users.models import User

ACCOUNTS, EACH = 100_000, 10
# Whom the reader follows, and who follows the popular account.
FOLLOWED, FANS = 500, 2_000
TAGS, MEMBERS = 1_000, 200


@dataclass(frozen=True)
class BigSite:
    ids: range
    """Of the accounts."""

    reader: User
    oldest: Status
    middle: Status
    """About as many are older as newer."""

    list_: List

    @cached_property
    def popular(self) -> User:
        return User.objects.get(pk=self.ids[-1])
