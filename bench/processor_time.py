"""Processor time of this thread and of the servers that it asks: what waiting does not spoil."""

import time
from collections.abc import Sequence
from pathlib import Path

import psutil


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
