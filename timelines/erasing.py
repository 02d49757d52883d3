"""What a deleted account leaves in Redis. Its rows in SQL are gone, so Redis itself tells."""

from collections.abc import Iterable, Iterator

from django.conf import settings

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.scripts import Batch
from statuses import store as statuses
from streaming import events
from users import edges
from users import store as users

from . import list_store, pulled
from .models import List

SOME = 500


def erase(user_id: int, list_ids: Iterable[int]) -> None:
    """Statuses first: they are what others see. Running it twice changes nothing."""
    _erase_statuses(user_id)
    _erase_follows(user_id)
    _erase_lists(user_id, list_ids)
    _erase_keys(user_id)


def _erase_statuses(user_id: int) -> None:
    for status_ids in _members(keys.profile(user_id)):
        events.statuses_deleted(user_id, status_ids)
        statuses.forget_statuses(user_id, status_ids)


def _erase_follows(user_id: int) -> None:
    for followees in _members(keys.following(user_id)):
        _write_edges((user_id, followee) for followee in followees)
        users.refresh_users([*followees, user_id])
    for shard in range(settings.PARTITIONS):
        for followers in _members(keys.followers(shard, user_id)):
            _write_edges((follower, user_id) for follower in followers)
            users.refresh_users(followers)


def _write_edges(pairs: Iterable[tuple[int, int]]) -> None:
    batch = Batch(get_client())
    for follower_id, followee_id in pairs:
        edges.write_edge(batch, follower_id, followee_id, None)
    batch.run()


def _erase_lists(user_id: int, list_ids: Iterable[int]) -> None:
    for list_id in list_ids:
        for members in _members(keys.list_members(user_id, list_id)):
            list_store.forget_list(owner_id=user_id, list_id=list_id, user_ids=members)
    for shard in range(settings.PARTITIONS):
        for listed in _members(keys.listed(shard, user_id)):
            for list_ in List.objects.filter(pk__in=listed):
                list_store.refresh_edge(list_, user_id)


def _erase_keys(user_id: int) -> None:
    pulled.set_mode(user_id, None)
    batch = Batch(get_client())
    for key in (keys.user, keys.profile, keys.home, keys.following):
        batch.add("UNLINK", key(user_id))
    for shard in range(settings.PARTITIONS):
        batch.add("UNLINK", keys.followers(shard, user_id))
        batch.add("UNLINK", keys.listed(shard, user_id))
    batch.run()


def _members(key: str) -> Iterator[list[int]]:
    """Some at a time. Read to the end first, since the loop takes them out of the set."""
    members = loaded_set.members(get_client(), key)
    for start in range(0, len(members), SOME):
        yield members[start : start + SOME]
