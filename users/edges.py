"""The serving copy of follows: whom a user follows, and the followers, sharded by partition.

Both are loaded sets (`redistools.loaded_set`): scored by the id of the follow, read from SQL when
Redis does not know them.
"""

from collections.abc import Collection
from heapq import nlargest
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Batch

from .models import Follow, User


class Edge(NamedTuple):
    """The other user, and the id of the follow: newer ones are higher."""

    follow_id: int
    user_id: int


def write_edge(batch: Batch, follower_id: int, followee_id: int, follow_id: int | None) -> None:
    """Make both sides say that the follow is there, or with None is not. Atomic, O(log n)."""
    shard = keys.followers(keys.partition(follower_id), followee_id)
    following = keys.following(follower_id)
    loaded_set.write_pair(batch, (following, followee_id), (shard, follower_id), score=follow_id)


def refresh_edge(follower_id: int, followee_id: int) -> bool:
    """Make Redis say what SQL says: does the one follow the other? One round trip.

    The follower's row stays locked until Redis has answered, so that of a follow and an unfollow
    at once the last word in SQL is also the last word in Redis.
    """
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).filter(pk=follower_id).first()
        pair = Follow.objects.filter(follower_id=follower_id, followee_id=followee_id)
        follow_id = pair.values_list("id", flat=True).first()
        batch = Batch(get_client())
        write_edge(batch, follower_id, followee_id, follow_id)
        batch.run()
    return follow_id is not None


def following_ids(user_id: int) -> list[int]:
    """Everyone the user follows, the oldest follow first. One round trip when known."""
    ensure_following(user_id)
    return loaded_set.members(get_client(), keys.following(user_id))


def newest_following(user_id: int, *, below: int | None, limit: int) -> list[Edge]:
    ensure_following(user_id)
    return _newest([keys.following(user_id)], below=below, limit=limit)


def newest_followers(user_id: int, *, below: int | None, limit: int) -> list[Edge]:
    """A page over all shards, the newest first. One round trip when known."""
    ensure_followers(user_id)
    return _newest(list(_shards(user_id).values()), below=below, limit=limit)


def follows(follower_id: int, followee_ids: Collection[int]) -> set[int]:
    """Those of the users whom the follower follows. One round trip when known."""
    ensure_following(follower_id)
    batch = Batch(get_client())
    for followee_id in followee_ids:
        batch.add("ZSCORE", keys.following(follower_id), followee_id)
    return {who for who, score in zip(followee_ids, batch.run(), strict=True) if score is not None}


def ensure_following(user_id: int) -> None:
    client, key = get_client(), keys.following(user_id)
    if not loaded_set.known(client, [key]):
        loaded_set.load(client, key, lambda: _read_following(user_id))


def ensure_followers(user_id: int, shards: Collection[int] | None = None) -> None:
    """Load the shards that are unknown; one query fills all of them."""
    client, wanted = get_client(), _shards(user_id)
    if shards is not None:
        wanted = {shard: key for shard, key in wanted.items() if shard in shards}
    unknown = set(wanted.values()) - set(loaded_set.known(client, list(wanted.values())))
    if unknown:
        loaded_set.load_many(client, unknown, lambda missing: _read_followers(user_id, missing))


def _newest(sets: Collection[str], *, below: int | None, limit: int) -> list[Edge]:
    batch = Batch(get_client())
    highest = "+inf" if below is None else f"({below}"
    for key in sets:
        # From 1: the mark of a whole set has the score 0.
        batch.add("ZREVRANGEBYSCORE", key, highest, 1, "WITHSCORES", "LIMIT", 0, limit)
    pairs = (pair for answer in batch.run() for pair in answer)
    return nlargest(limit, (Edge(int(score), int(member)) for member, score in pairs))


def _read_following(user_id: int) -> Loaded:
    rows = Follow.objects.filter(follower_id=user_id).values_list("followee_id", "id")
    return Loaded(dict(rows))


def _read_followers(user_id: int, wanted: Collection[str]) -> dict[str, Loaded]:
    scores: dict[str, dict[int, int]] = {key: {} for key in wanted}
    shards = _shards(user_id)
    rows = Follow.objects.filter(followee_id=user_id)
    if len(wanted) < len(shards):
        numbers = [shard for shard, key in shards.items() if key in wanted]
        rows = rows.alias(shard=F("follower_id") % settings.PARTITIONS).filter(shard__in=numbers)
    for follower_id, follow_id in rows.values_list("follower_id", "id").iterator():
        scores[shards[keys.partition(follower_id)]][follower_id] = follow_id
    return {key: Loaded(members) for key, members in scores.items()}


def _shards(user_id: int) -> dict[int, str]:
    return {shard: keys.followers(shard, user_id) for shard in range(settings.PARTITIONS)}
