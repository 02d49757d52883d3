"""How much memory Redis needs for what it holds."""

import time
from collections.abc import Callable
from typing import Any

from redistools.chunks import chunks
from redistools.client import get_client

# A score like those of real follows.
UNTIL_NOW = 2**51


def growth_of_memory(work: Callable[[], object]) -> int:
    before = used_memory()
    work()
    return used_memory() - before


def used_memory() -> int:
    """Of keys and values and of the tables that find them, without client buffers and scripts."""
    client: Any = get_client()
    while client.info("memory")["lazyfree_pending_objects"]:
        time.sleep(0.01)
    stats = client.memory_stats()
    tables = [part for name, part in stats.items() if str(name).startswith("db.")]
    overhead = ("overhead.hashtable.main", "overhead.hashtable.expires")
    return int(stats["dataset.bytes"]) + sum(int(part[it]) for part in tables for it in overhead)


def unlink(pattern: str) -> None:
    """Every key like this."""
    for some in chunks(get_client().scan_iter(match=pattern, count=1_000), 1_000):
        get_client().unlink(*some)
