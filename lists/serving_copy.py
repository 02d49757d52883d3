"""What Redis holds of lists; their timelines are described in `timelines`."""

from collections.abc import Sequence

from django.conf import settings
from django.db.models import QuerySet

from redistools import keys
from redistools.copies import LoadedSets
from redistools.serving_copy import Scope, each, register
from users.models import User
from users.serving_copy import USERS

from . import store
from .models import List


def _rows() -> QuerySet[List]:
    return List.objects.select_related("owner")


LISTS = Scope("lists", _rows, title=lambda list_: f"list {list_} of {list_.owner}")


def _load_listed(rows: Sequence[User]) -> None:
    """Leaves users who are in no list to the next fan-out, which finds that out."""
    for user in rows:
        if user.listed_count:
            store.ensure_listed(user.pk, range(settings.PARTITIONS))


def _listed(user: User) -> list[str]:
    return [keys.listed(partition, user.pk) for partition in range(settings.PARTITIONS)]


register(
    LoadedSets(
        kind="members",
        about=LISTS,
        names=lambda list_: [keys.list_members(list_.owner_id, list_.pk)],
        load=each(lambda it: store.ensure_members(it.owner_id, it.pk)),
        in_sql=lambda list_: {
            keys.list_members(list_.owner_id, list_.pk): store.members_in_sql(list_.pk)
        },
    )
)

register(
    LoadedSets(
        kind="listed",
        about=USERS,
        names=_listed,
        load=_load_listed,
        in_sql=lambda user: store.listed_in_sql(user.pk, _listed(user)),
    )
)
