"""Gauges that are a sum over processes: each says its share, and samplers add them up."""

import os
import socket
import time

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch

# A process that says nothing for as long is gone.
FRESH_SECONDS = 10
KEPT_SECONDS = 3600


def add(batch: Batch, name: str, value: int) -> None:
    key = keys.level(name)
    batch.add("HSET", key, _process(), f"{value} {int(time.time())}")
    batch.add("EXPIRE", key, KEPT_SECONDS)


def total(name: str) -> int:
    """One round trip, and another if processes are gone."""
    now, key = int(time.time()), keys.level(name)
    client = get_client()
    said = {who: _read(str(it)) for who, it in client.hgetall(key).items()}
    gone = [who for who, (_, second) in said.items() if second < now - FRESH_SECONDS]
    if gone:
        client.hdel(key, *gone)
    return sum(value for who, (value, _) in said.items() if who not in gone)


def _process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _read(said: str) -> tuple[int, int]:
    value, _, second = said.partition(" ")
    return int(value), int(second)
