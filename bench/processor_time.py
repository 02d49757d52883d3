"""Processor time of this thread and of the servers that it asks: what waiting does not spoil."""

import time
from collections.abc import Sequence
from pathlib import Path

import psutil
from django.db import connection

from redistools.client import get_client
from web.sql.ready_sql import select_by


def servers() -> list[int]:
    """Redis, and the process of PostgreSQL that answers us."""
    found = [int(get_client().info("server")["process_id"])]
    if connection.vendor == "postgresql":
        ((backend,),) = select_by("SELECT pg_backend_pid()", [])
        found.append(int(backend))
    return found


def spent(servers: Sequence[int]) -> float:
    """Seconds, of this thread and the main threads of these processes."""
    return time.thread_time() + sum(map(_of_process, servers))


def _of_process(process_id: int) -> float:
    """Linux tells nanoseconds; others, hundredths of a second."""
    file = Path(f"/proc/{process_id}/schedstat")
    if file.exists():
        return int(file.read_text().split()[0]) / 1e9
    times = psutil.Process(process_id).cpu_times()
    return float(times.user + times.system)
