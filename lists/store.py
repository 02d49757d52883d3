"""The serving copy of lists: who is in a list, which lists a user is in. Both are loaded sets."""

from collections.abc import Collection

from django.db import transaction

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Batch

from .models import List, ListMember


def write_edge(
    batch: Batch, *, owner_id: int, list_id: int, user_id: int, member_id: int | None
) -> None:
    """Updates both sides; a `member_id` of None takes the user out. Atomic, O(log n)."""
    members = keys.list_members(owner_id, list_id)
    listed = keys.listed(keys.partition(owner_id), user_id)
    loaded_set.write_pair(batch, (members, user_id), (listed, list_id), score=member_id)


def refresh_edge(list_: List, user_id: int) -> bool:
    """Makes Redis say what SQL says. One round trip.

    The list's row stays locked until Redis has answered, as with follows.
    """
    fail_if_away()
    with transaction.atomic():
        List.objects.select_for_update(no_key=True).filter(pk=list_.pk).first()
        pair = ListMember.objects.filter(list_id=list_.pk, user_id=user_id)
        member_id = pair.values_list("id", flat=True).first()
        batch = Batch(get_client())
        write_edge(
            batch, owner_id=list_.owner_id, list_id=list_.pk, user_id=user_id, member_id=member_id
        )
        batch.run()
    return member_id is not None


def member_ids(owner_id: int, list_id: int) -> list[int]:
    ensure_members(owner_id, list_id)
    return loaded_set.members(get_client(), keys.list_members(owner_id, list_id))


def ensure_members(owner_id: int, list_id: int) -> None:
    client, key = get_client(), keys.list_members(owner_id, list_id)
    if not loaded_set.known(client, [key]):
        loaded_set.load(client, key, lambda: members_in_sql(list_id))


def members_in_sql(list_id: int) -> Loaded:
    return Loaded(dict(ListMember.objects.filter(list_id=list_id).values_list("user_id", "id")))


def ensure_listed(user_id: int, partitions: Collection[int]) -> None:
    """Loads the unknown partitions of `listed`; one query fills all of them."""
    client = get_client()
    wanted = {keys.listed(partition, user_id) for partition in partitions}
    unknown = wanted - set(loaded_set.known(client, list(wanted)))
    if unknown:
        loaded_set.load_many(client, unknown, lambda missing: listed_in_sql(user_id, missing))


def forget_list(*, owner_id: int, list_id: int, user_ids: Collection[int]) -> None:
    """Takes everybody out of a list that was deleted in SQL. One round trip."""
    batch = Batch(get_client())
    for user_id in user_ids:
        write_edge(batch, owner_id=owner_id, list_id=list_id, user_id=user_id, member_id=None)
    batch.run()


def listed_in_sql(user_id: int, wanted: Collection[str]) -> dict[str, Loaded]:
    scores: dict[str, dict[int, int]] = {key: {} for key in wanted}
    rows = ListMember.objects.filter(user_id=user_id).values_list("list_id", "list__owner_id", "id")
    for list_id, owner_id, member_id in rows:
        key = keys.listed(keys.partition(owner_id), user_id)
        if key in scores:
            scores[key][list_id] = member_id
    return {key: Loaded(members) for key, members in scores.items()}
