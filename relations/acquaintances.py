"""Followers of an account whom the reader follows: "Followed by X, Y and 3 others you follow"."""

from collections.abc import Collection
from typing import Any, NamedTuple

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch, Script
from users.selectors import in_order
from users.standing import suspension

from . import store

# Of whom the reader follows, the newest are looked at.
SAMPLE = 500
NAMED = 2

_followers_among = Script(__file__, "followers_among")


class Acquaintance(NamedTuple):
    username: str
    name: str

    @property
    def display_name(self) -> str:
        return self.name or self.username


class Acquaintances(NamedTuple):
    named: list[Acquaintance]
    others: int


NOBODY = Acquaintances([], 0)


def among_followers(account_id: int, followed: Collection[int]) -> Acquaintances:
    """`followed`: whom the reader follows, the newest first. One round trip when known."""
    wanted = [user_id for user_id in followed if user_id != account_id][:SAMPLE]
    if not wanted:
        return NOBODY
    batch, version = _ask(account_id, wanted)
    if None in batch:
        store.ensure_followers(account_id)
        batch, version = _ask(account_id, wanted)
    return _chosen(wanted, _by_id(batch), suspension.suspended_at(version))


def _ask(account_id: int, wanted: Collection[int]) -> tuple[list[Any], str | None]:
    shards: dict[int, list[int]] = {}
    for user_id in wanted:
        shards.setdefault(keys.partition(user_id), []).append(user_id)
    batch = Batch(get_client())
    for partition, some in shards.items():
        followers, people = keys.followers(partition, account_id), keys.users(partition)
        batch.call(_followers_among, [followers], [people, *some])
    batch.add(*suspension.version_command())
    *answers, version = batch.run()
    return answers, version


def _by_id(answers: Collection[list[str] | None]) -> dict[int, Acquaintance]:
    flat = [part for answer in answers for part in answer or ()]
    rows = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    return {int(user_id): Acquaintance(username, name) for user_id, username, name in rows}


def _chosen(
    wanted: Collection[int], found: dict[int, Acquaintance], suspended: Collection[int]
) -> Acquaintances:
    """Prefers people whose names Redis has; if it has too few, some are read from SQL."""
    visible = [it for it in wanted if it in found and it not in suspended]
    named = [found[it] for it in visible if found[it].username][:NAMED]
    if len(named) < min(NAMED, len(visible)):
        named = [Acquaintance(it.username, it.name) for it in in_order(visible[:NAMED])]
    return Acquaintances(named, len(visible) - len(named))
