"""The serving copy of follows: whom a user follows, and the followers, sharded by partition.

Both are loaded sets (`redistools.loaded_set`): scored by the id of the follow, read from SQL when
Redis does not know them.
"""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from heapq import nlargest
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import F

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Argument, Batch, Script
from redistools.settling import settle
from users import suspension
from users.store import write_rows

from .models import Follow
from .rows import EdgeRow, read_edge

_members_among = Script(__file__, "members_among")


class Edge(NamedTuple):
    """The other user, and the id of the follow, or of what else leads to them: newer ones are
    higher.
    """

    row_id: int
    user_id: int


class Page(NamedTuple):
    """Some edges, newest first, and who is suspended; the caller decides what that means."""

    edges: list[Edge]
    suspended: frozenset[int]


def write_edge(
    batch: Batch,
    follower_id: int,
    followee_id: int,
    follow_id: int | None,
    *,
    hides_boosts: bool = False,
) -> None:
    """Make both sides say that the follow exists, or, with None, does not. Atomic, O(log n)."""
    hidden = keys.boosts_hidden(follower_id)
    if follow_id is not None and hides_boosts:
        loaded_set.put(batch, hidden, followee_id, follow_id, cap=2**31)
    else:
        loaded_set.drop(batch, hidden, [followee_id])
    followers = keys.followers(keys.partition(follower_id), followee_id)
    following = keys.following(follower_id)
    loaded_set.write_pair(
        batch, (following, followee_id), (followers, follower_id), score=follow_id
    )


def refresh_edge(follower_id: int, followee_id: int) -> EdgeRow:
    """Make Redis say what SQL says: does one follow the other, and what are their counters now?
    Two queries and one round trip, unless somebody changes one of the three meanwhile.
    """
    fail_if_away()
    pair = (follower_id, followee_id)
    edge: EdgeRow = settle(partial(read_edge, *pair), partial(_write_pair, *pair))
    return edge


def _write_pair(follower_id: int, followee_id: int, seen: EdgeRow) -> None:
    batch = Batch(get_client())
    write_rows(batch, [follower_id, followee_id], seen.accounts)
    write_edge(batch, follower_id, followee_id, seen.follow_id, hides_boosts=seen.hides_boosts)
    batch.run()


def following_ids(user_id: int) -> list[int]:
    """Everyone the user follows, the oldest follow first. One round trip when known, O(n)."""
    (members,) = _read_own(user_id, [loaded_set.all_members(keys.following(user_id))])
    return [int(member) for member in members]


def newest_following(user_id: int, *, below: int | None, limit: int) -> Page:
    """One round trip when known."""
    newest = loaded_set.newest_members(keys.following(user_id), below=below, limit=limit)
    return _page(_read_own(user_id, [newest, suspension.version_command()]), limit)


def newest_followers(user_id: int, *, below: int | None, limit: int) -> Page:
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
    """Which of the users the follower follows. One round trip when known."""
    key = keys.following(follower_id)
    scores = _read_own(follower_id, [("ZSCORE", key, followee) for followee in followee_ids])
    return {who for who, score in zip(followee_ids, scores, strict=True) if score is not None}


def add_follow_reads(
    batch: Batch, user_id: int, people: Collection[int], boosters: Collection[int]
) -> None:
    """Which of the people does the user follow, and whose boosts do they hide? Nothing is asked
    where there is nobody to ask for. `read_follows` gets the answers.
    """
    for key, asked in _asked(user_id, people, boosters):
        batch.call(_members_among, [key], [*asked])


def read_follows(
    answers: Sequence[Any], user_id: int, people: Collection[int], boosters: Collection[int]
) -> tuple[set[int], set[int]]:
    """More round trips only if Redis does not know one of the sets."""
    found: dict[str, set[int]] = {}
    for (key, asked), answer in zip(_asked(user_id, people, boosters), answers, strict=True):
        found[key] = set(map(int, answer)) if answer is not None else _load_among(key, asked)
    return (
        found.get(keys.following(user_id), set()),
        found.get(keys.boosts_hidden(user_id), set()),
    )


def bond(user_id: int, other_id: int) -> tuple[bool, bool]:
    """Does the user follow the other, and hide their boosts? One round trip when known."""
    batch, other = Batch(get_client()), [other_id]
    add_follow_reads(batch, user_id, other, other)
    followed, hidden = read_follows(batch.run(), user_id, other, other)
    return bool(followed), bool(hidden)


def _asked(
    user_id: int, people: Collection[int], boosters: Collection[int]
) -> list[tuple[str, Collection[int]]]:
    pairs = [(keys.following(user_id), people), (keys.boosts_hidden(user_id), boosters)]
    return [(key, asked) for key, asked in pairs if asked]


def _load_among(key: str, asked: Collection[int]) -> set[int]:
    user_id = keys.number(key)
    in_sql = following_in_sql if key == keys.following(user_id) else boosts_hidden_in_sql
    client = get_client()
    for _ in range(loaded_set.ATTEMPTS):
        loaded_set.load(client, key, partial(in_sql, user_id))
        answer = _members_among(client, [key], [*asked])
        if answer is not None:
            return set(map(int, answer))
    raise loaded_set.LoadFailed(f"{key} keeps vanishing")


def boosts_hidden_in_sql(user_id: int) -> Loaded:
    rows = Follow.objects.filter(follower_id=user_id, hides_boosts=True)
    return Loaded(dict(rows.values_list("followee_id", "id")))


def boosts_hidden_ids(user_id: int) -> list[int]:
    """Whose boosts the user hides. One round trip when known."""
    key = keys.boosts_hidden(user_id)

    def load(_unknown: list[str]) -> None:
        ensure_boosts_hidden(user_id)

    (members,) = loaded_set.read(get_client(), [key], [loaded_set.all_members(key)], load)
    return [int(member) for member in members]


def ensure_boosts_hidden(user_id: int) -> None:
    key = keys.boosts_hidden(user_id)
    loaded_set.load(get_client(), key, partial(boosts_hidden_in_sql, user_id))


def ensure_following(user_id: int) -> None:
    _read_own(user_id, [])


def ensure_followers(user_id: int) -> None:
    """Load the unknown partitions; one query fills all of them."""
    partitions = list(_keys_by_partition(user_id).values())
    loaded_set.read(get_client(), partitions, [], partial(_load_followers, user_id))


def _read_own(user_id: int, commands: Iterable[Sequence[Argument]]) -> list[Any]:
    def load(keys_: list[str]) -> None:
        loaded_set.load(get_client(), keys_[0], lambda: following_in_sql(user_id))

    return loaded_set.read(get_client(), [keys.following(user_id)], commands, load)


def _load_followers(user_id: int, unknown: Collection[str]) -> None:
    loaded_set.load_many(get_client(), unknown, partial(_read_followers, user_id))


def _page(answers: list[Any], limit: int) -> Page:
    *pages, version = answers
    return Page(_merge(pages, limit), suspension.suspended_at(version))


def _merge(pages: Iterable[Iterable[tuple[str, float]]], limit: int) -> list[Edge]:
    pairs = (pair for page in pages for pair in page)
    return nlargest(limit, (Edge(int(score), int(member)) for member, score in pairs))


def following_in_sql(user_id: int) -> Loaded:
    rows = Follow.objects.filter(follower_id=user_id).values_list("followee_id", "id")
    return Loaded(dict(rows))


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
