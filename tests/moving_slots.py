"""Moving a slot of a Redis Cluster from one node to another, as `redis-cli --cluster reshard`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from tests.redis_servers import client_of, port_of

KEYS_AT_ONCE = 10
TIMEOUT_MS = 5_000


@contextmanager
def masters_of(client: redis.RedisCluster) -> Iterator[list[redis.Redis]]:
    """A client for each."""
    nodes = [client_of(node.port) for node in client.get_primaries()]
    try:
        yield nodes
    finally:
        for node in nodes:
            node.close()


@contextmanager
def moving(slot: int, source: redis.Redis, target: redis.Redis) -> Iterator[None]:
    """During the block the slot is on its way: no key has been moved yet. Afterwards, all have."""
    _set_slot(target, slot, "IMPORTING", _id_of(source))
    _set_slot(source, slot, "MIGRATING", _id_of(target))
    yield
    while move_some(slot, source, target):
        pass
    for node in (target, source):
        _set_slot(node, slot, "NODE", _id_of(target))


def move_some(slot: int, source: redis.Redis, target: redis.Redis) -> bool:
    """False if there was none left."""
    names: Any = source.execute_command("CLUSTER", "GETKEYSINSLOT", slot, KEYS_AT_ONCE)
    if names:
        address = ("127.0.0.1", port_of(target))
        source.execute_command("MIGRATE", *address, "", 0, TIMEOUT_MS, "KEYS", *names)
    return bool(names)


def move(slot: int, source: redis.Redis, target: redis.Redis) -> None:
    with moving(slot, source, target):
        pass


def owner_of(slot: int, masters: list[redis.Redis]) -> redis.Redis:
    return next(master for master in masters if slot in _slots_of(master))


def _slots_of(master: redis.Redis) -> set[int]:
    """By its own account."""
    found: Any = master.execute_command("CLUSTER SLOTS")
    own = [(first, last) for first, last, node, *_ in found if node[1] == port_of(master)]
    return {slot for first, last in own for slot in range(first, last + 1)}


def _set_slot(node: redis.Redis, slot: int, state: str, other: str) -> None:
    node.execute_command("CLUSTER", "SETSLOT", slot, state, other)


def _id_of(node: redis.Redis) -> str:
    own: Any = node.execute_command("CLUSTER", "MYID")
    return str(own)
