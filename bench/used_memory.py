"""How much memory Redis needs for what it holds."""

import time
from collections.abc import Callable
from typing import Any

from redistools.chunks import chunks
from redistools.client import get_client

# A score like those of real follows.
UNTIL_NOW = 2**51
# Redis looks at the size of its tables ten times a second.
TIDY_SECONDS = 0.5


def growth_of_memory(work: Callable[[], object]) -> int:
    before = used_memory()
    work()
    return used_memory() - before


def used_memory() -> int:
    """Of keys and values and of the tables that find them, without client buffers and scripts.

    Once Redis has tidied up: it frees what was unlinked in the background, and makes the tables
    smaller only some tenths of a second later, and not at all while it rewrites its log.
    """
    client: Any = get_client()
    tables, before = _tables(client.memory_stats()), -1
    while _is_busy(client) or tables != before:
        time.sleep(TIDY_SECONDS)
        tables, before = _tables(client.memory_stats()), tables
    return int(client.memory_stats()["dataset.bytes"]) + tables


def _is_busy(client: Any) -> bool:
    names = ("lazyfree_pending_objects", "aof_rewrite_in_progress", "rdb_bgsave_in_progress")
    info = client.info("memory") | client.info("persistence")
    return any(info[name] for name in names)


def _tables(stats: dict[str, Any]) -> int:
    tables = [part for name, part in stats.items() if str(name).startswith("db.")]
    overhead = ("overhead.hashtable.main", "overhead.hashtable.expires")
    return sum(int(part[it]) for part in tables for it in overhead)


def unlink(pattern: str) -> None:
    """Every key like this."""
    for some in chunks(get_client().scan_iter(match=pattern, count=1_000), 1_000):
        get_client().unlink(*some)
