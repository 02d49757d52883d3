"""The serving copy of follows: whom a user follows, and the followers, sharded by partition.

Both are loaded sets (`redistools.loaded_set`), scored by the id of the follow. A read takes one
round trip when Redis knows them; else they are read from SQL.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from heapq import nlargest
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import F

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Argument, Batch, Script
from redistools.writing_until_stable import write_until_stable
from users.standing import suspension
from users.store import write_rows

from .models import Follow
from .rows import EdgeRow, read_edge

_members_among = Script(__file__, "members_among")


class Edge(NamedTuple):
    """The other user, and the id of the follow or of what else leads to them: newer ones are
    higher.
    """

    row_id: int
    user_id: int


class EdgePage(NamedTuple):
    edges: list[Edge]
    suspended: frozenset[int]


def write_edge(batch: Batch, follower_id: int, followee_id: int, follow_id: int | None) -> None:
    """Updates both sides; a `follow_id` of None removes the follow. Atomic, O(log n)."""
    followers = keys.followers(keys.partition(follower_id), followee_id)
    following = keys.following(follower_id)
    loaded_set.write_pair(
        batch, (following, followee_id), (followers, follower_id), score=follow_id
    )


def refresh_edge(follower_id: int, followee_id: int) -> EdgeRow:
    """Makes Redis say what SQL says of a follow and both accounts' counters.

    Two queries and one round trip, unless one of the three changes meanwhile.
    """
    fail_if_away()
    pair = (follower_id, followee_id)
    edge: EdgeRow = write_until_stable(partial(read_edge, *pair), partial(_write_pair, *pair))
    return edge


def _write_pair(follower_id: int, followee_id: int, seen: EdgeRow) -> None:
    batch = Batch(get_client())
    write_rows(batch, [follower_id, followee_id], seen.accounts)
    write_edge(batch, follower_id, followee_id, seen.follow_id)
    batch.run()


def following_ids(user_id: int) -> list[int]:
    """Oldest follow first. One round trip when known, O(n)."""
    (members,) = _read_own(user_id, [loaded_set.all_members(keys.following(user_id))])
    return [int(member) for member in members]


def newest_following(user_id: int, *, below: int | None, limit: int) -> EdgePage:
    newest = loaded_set.newest_members(keys.following(user_id), below=below, limit=limit)
    return _page(_read_own(user_id, [newest, suspension.version_command()]), limit)


def newest_followers(user_id: int, *, below: int | None, limit: int) -> EdgePage:
    """Over all partitions. One round trip when known."""
    partitions = list(_keys_by_partition(user_id).values())
    newest = [
        loaded_set.newest_members(partition, below=below, limit=limit) for partition in partitions
    ]
    commands = [*newest, suspension.version_command()]
    load = partial(_load_followers, user_id)
    answers = loaded_set.read(get_client(), partitions, commands, load)
    return _page(answers, limit)


def follows(follower_id: int, followee_ids: Collection[int]) -> set[int]:
    key = keys.following(follower_id)
    scores = _read_own(follower_id, [("ZSCORE", key, followee) for followee in followee_ids])
    return {who for who, score in zip(followee_ids, scores, strict=True) if score is not None}


def add_follow_reads(batch: Batch, user_id: int, people: Collection[int]) -> None:
    """Asks which of the people, at least one, the user follows; `read_follows` takes the answer."""
    batch.call(_members_among, [keys.following(user_id)], [*people])


def read_follows(answer: list[str] | None, user_id: int, people: Collection[int]) -> set[int]:
    """Needs more round trips only if Redis does not know the set."""
    return follows(user_id, people) if answer is None else set(map(int, answer))


def add_newest_followed(batch: Batch, user_id: int, *, limit: int) -> None:
    """Asks for pairs of user and score, newest first; none if Redis does not know the set."""
    batch.add(*loaded_set.newest_members(keys.following(user_id), below=None, limit=limit))


def add_follower_reads(batch: Batch, user_id: int, people: Collection[int]) -> int:
    """Asks which of the people follow the user. Returns the number of answers, which
    `read_followers` takes. O(log n) for each of the people.
    """
    shards = _by_shard(user_id, people)
    for key, some in shards.items():
        batch.call(_members_among, [key], [*some])
    return len(shards)


def read_followers(
    answers: Sequence[list[str] | None], user_id: int, people: Collection[int]
) -> set[int]:
    """Needs more round trips only if Redis does not know a shard."""
    found: set[int] = set()
    if None in answers:
        ensure_followers(user_id)
        batch = Batch(get_client())
        add_follower_reads(batch, user_id, people)
        answers = batch.run()
    for some in answers:
        found |= set(map(int, some or ()))
    return found


def _by_shard(user_id: int, people: Collection[int]) -> dict[str, list[int]]:
    shards: dict[str, list[int]] = {}
    for person in people:
        shards.setdefault(keys.followers(keys.partition(person), user_id), []).append(person)
    return shards


def newest_followed_by_each(user_ids: Collection[int], *, limit: int) -> list[list[int]]:
    owners = {keys.following(user_id): user_id for user_id in user_ids}

    def load(unknown: Collection[str]) -> None:
        loaded_set.load_many(get_client(), unknown, partial(_read_following, owners))

    newest = [loaded_set.newest_members(key, below=None, limit=limit) for key in owners]
    answers = loaded_set.read(get_client(), list(owners), newest, load)
    return [[int(member) for member, _ in pairs] for pairs in answers]


def ensure_following(user_id: int) -> None:
    _read_own(user_id, [])


def ensure_followers(user_id: int) -> None:
    partitions = list(_keys_by_partition(user_id).values())
    loaded_set.read(get_client(), partitions, [], partial(_load_followers, user_id))


def _read_own(user_id: int, commands: Iterable[Sequence[Argument]]) -> list[Any]:
    def load(keys_: list[str]) -> None:
        loaded_set.load(get_client(), keys_[0], lambda: following_in_sql(user_id))

    return loaded_set.read(get_client(), [keys.following(user_id)], commands, load)


def _load_followers(user_id: int, unknown: Collection[str]) -> None:
    loaded_set.load_many(get_client(), unknown, partial(_read_followers, user_id))


def _page(answers: list[Any], limit: int) -> EdgePage:
    *pages, version = answers
    return EdgePage(_merge(pages, limit), suspension.suspended_at(version))


def _merge(pages: Iterable[Iterable[tuple[str, float]]], limit: int) -> list[Edge]:
    pairs = (pair for page in pages for pair in page)
    return nlargest(limit, (Edge(int(score), int(member)) for member, score in pairs))


def following_in_sql(user_id: int) -> Loaded:
    rows = Follow.objects.filter(follower_id=user_id).values_list("followee_id", "id")
    return Loaded(dict(rows))


def _read_following(owners: Mapping[str, int], wanted: Collection[str]) -> dict[str, Loaded]:
    scores: dict[int, dict[int, int]] = {owners[key]: {} for key in wanted}
    rows = Follow.objects.filter(follower_id__in=list(scores))
    for follower, followee, follow_id in rows.values_list("follower_id", "followee_id", "id"):
        scores[follower][followee] = follow_id
    return {key: Loaded(scores[owners[key]]) for key in wanted}


def _read_followers(user_id: int, wanted: Collection[str]) -> dict[str, Loaded]:
    scores: dict[str, dict[int, int]] = {key: {} for key in wanted}
    partitions = _keys_by_partition(user_id)
    rows = Follow.objects.filter(followee_id=user_id)
    if len(wanted) < len(partitions):
        numbers = [partition for partition, key in partitions.items() if key in wanted]
        rows = rows.alias(partition=F("follower_id") % settings.PARTITIONS).filter(
            partition__in=numbers
        )
    for follower_id, follow_id in rows.values_list("follower_id", "id").iterator():
        scores[partitions[keys.partition(follower_id)]][follower_id] = follow_id
    return {key: Loaded(members) for key, members in scores.items()}


def followers_in_sql(user_id: int) -> dict[str, Loaded]:
    return _read_followers(user_id, _keys_by_partition(user_id).values())


def _keys_by_partition(user_id: int) -> dict[int, str]:
    return {
        partition: keys.followers(partition, user_id) for partition in range(settings.PARTITIONS)
    }
