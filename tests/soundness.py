"""Does Redis agree with SQL? What `check_timelines` would say about some rows, without waiting."""

from collections.abc import Collection, Sequence
from itertools import chain

from lists.serving_copy import LISTS
from statuses.serving_copy import STATUSES
from tags.models import Tag
from tags.serving_copy import TAGS
from upkeep.checking import check
from users.models import User
from users.serving_copy import USERS


def wrong_with_users(users: Sequence[User]) -> list[str]:
    """And with their lists."""
    lists = [list_ for user in users for list_ in user.lists.all()]
    return [str(it) for it in chain(check(USERS, users), check(LISTS, lists))]


def wrong_with_statuses(status_ids: Collection[int]) -> list[str]:
    return [str(difference) for difference in check(STATUSES, STATUSES.find(status_ids))]


def wrong_with_tags() -> list[str]:
    return [str(difference) for difference in check(TAGS, list(Tag.objects.all()))]
