"""Moves everything that Redis holds to another Redis, with the time that each key has left.

What could be rebuilt from SQL goes along: it is there at once, and so are queued tasks, which only
Redis knows.
"""

from collections.abc import Iterator
from typing import Any

import redis

from redistools import keys
from redistools.chunks import chunks
from redistools.client import Client, connect

from .archive import BackupError, bar

KEYS_AT_ONCE = 200
# The followers of one account may be a key of many megabytes.
PATIENCE_SECONDS = 60


def client_of(url: str) -> Client:
    """One that waits; its answers are bytes. Raises BackupError if Redis does not answer."""
    client = connect(_patient(url), binary=True)
    try:
        client.ping()
    except (redis.RedisError, OSError) as error:
        raise BackupError(f"The Redis of --redis can't be used: {error}") from error
    return client


def _patient(url: str) -> str:
    if "socket_timeout" in url:
        return url
    return f"{url}{'&' if '?' in url else '?'}socket_timeout={PATIENCE_SECONDS}"


def check_empty(target: Client) -> None:
    if next(_names(target), None) is not None:
        raise BackupError(
            "The Redis of --redis holds keys of a site: empty it (`redis-cli FLUSHDB`), or choose "
            "another"
        )


def copy_keys(source: Client, target: Client) -> int:
    """Returns how many. Safe to repeat."""
    copied = 0
    with bar("redis", None, unit="keys") as progress:
        for names in chunks(_names(source), KEYS_AT_ONCE):
            copied += _copy(names, source, target)
            progress.update(len(names))
    return copied


def _names(client: Client) -> Iterator[Any]:
    """The same one may come twice."""
    yield from client.scan_iter(match=keys.everything(), count=KEYS_AT_ONCE)


def _copy(names: list[bytes], source: Client, target: Client) -> int:
    with source.pipeline(transaction=False) as asked, target.pipeline(transaction=False) as written:
        for name in names:
            asked.dump(name)
            asked.pttl(name)
        answers = asked.execute()
        for name, content, left in zip(names, answers[::2], answers[1::2], strict=True):
            # It may have expired since, or have no end.
            if content is not None and left != 0:
                written.restore(name, max(left, 0), content, replace=True)
        try:
            return len(written.execute())
        except redis.ResponseError as error:
            raise BackupError(f"The Redis of --redis refuses a key: {error}") from error
