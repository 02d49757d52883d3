"""Who is suspended: every page asks, and the answer is right from the moment that Redis knows.

Redis holds the ids (a loaded set), and beside them a *version*: a random word that changes with
every suspension and restoration. A process keeps the accounts with the version it read them at. A
page asks for the version along with what it reads anyway (`version_command`), and reads the
accounts again only if it has changed: no extra round trip, and never out of date.

The version is no counter: a Redis that lost its memory must not come back to one that some process
keeps. Writers change the set first and the version second; readers read the version first. So a
process may keep newer accounts under an old version, but never old ones under a new version.
"""

import asyncio
import secrets
from collections.abc import Collection
from typing import NamedTuple

from django.db import close_old_connections, transaction

from redistools import keys, loaded_set
from redistools.client import fail_if_away, get_async_client, get_client
from redistools.exchange import Command
from redistools.loaded_set import Loaded
from redistools.scripts import Batch
from web.pages.page_versions import drop_all_pages

from ..models import User
from ..rows import lock_accounts

# Read at once: less than a millisecond of Redis' time.
PART = 5_000


class _Kept(NamedTuple):
    key: str  # where the version is from: under another `REDIS_KEY_PREFIX`, ids mean other accounts
    version: str | None
    ids: frozenset[int]


_kept = _Kept("", None, frozenset())


def suspended_ids() -> frozenset[int]:
    """One round trip; two more if somebody was suspended or restored since."""
    batch = Batch(get_client())
    batch.add(*version_command())
    (version,) = batch.run()
    return suspended_at(version)


async def suspended_ids_async() -> frozenset[int]:
    """For an event loop, without blocking it: what takes longer runs in a thread."""
    version = await get_async_client().get(keys.suspension_version())
    kept = _kept
    if version is not None and version == kept.version:
        return kept.ids
    return await asyncio.to_thread(_suspended_ids_in_thread)


def version_command() -> Command:
    """To be sent along with what a page reads; give the answer to `suspended_at`."""
    return ("GET", keys.suspension_version())


def suspended_at(version: str | None) -> frozenset[int]:
    """No round trip if the version is still the one that this process knows."""
    kept = _kept
    if version is not None and version == kept.version:
        return kept.ids
    return read_again()


def refresh(user_ids: Collection[int]) -> None:
    """Makes Redis say what SQL says of these accounts: suspended or not. One round trip.

    Call it after commit. The rows stay locked until Redis has answered: if a suspension and a
    restoration race, whichever is last in SQL is last in Redis.
    """
    fail_if_away()
    with transaction.atomic():
        locked = lock_accounts(user_ids)
        suspended = {pk for pk, user in locked.items() if not user.is_active}
        batch = Batch(get_client())
        for user_id in suspended:
            loaded_set.put(batch, keys.suspended(), user_id, user_id, cap=2**31)
        if others := set(user_ids) - suspended:
            loaded_set.drop(batch, keys.suspended(), others)
        batch.add("SET", keys.suspension_version(), secrets.token_hex(8))
        drop_all_pages(batch)
        batch.run()


def in_sql() -> Loaded:
    ids = User.objects.filter(is_active=False).values_list("pk", flat=True)
    return Loaded({user_id: user_id for user_id in ids})


def read_again() -> frozenset[int]:
    """The version first: a change while the ids are read makes a new one."""
    global _kept
    version = _version()
    _kept = _Kept(keys.suspension_version(), version, frozenset(_ids()))
    return _kept.ids


def _version() -> str:
    batch = Batch(get_client())
    batch.add("SET", keys.suspension_version(), secrets.token_hex(8), "NX")
    batch.add(*version_command())
    version: str = batch.run()[1]
    return version


def _ids() -> list[int]:
    """Part by part, so that Redis serves others in between. One round trip for each."""
    key, ids, last = keys.suspended(), list[int](), 0
    while True:
        command = loaded_set.members_after(key, last, PART)
        (part,) = loaded_set.read(get_client(), [key], [command], _load)
        ids += map(int, part)
        if len(part) < PART:
            return ids
        last = ids[-1]


def _load(_unknown: list[str]) -> None:
    loaded_set.load(get_client(), keys.suspended(), in_sql, for_ever=True)


def _suspended_ids_in_thread() -> frozenset[int]:
    """Drops connections that broke, as Django does around each request."""
    close_old_connections()
    try:
        return suspended_ids()
    finally:
        close_old_connections()
