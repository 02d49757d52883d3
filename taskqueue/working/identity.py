"""Who a worker is, so that the next one on its host can tell whether it is dead."""

import os
import secrets
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from ..store import Claim, Queue

PROCESSES = Path("/proc/self/ns/pid")


def new_worker_id() -> str:
    """`host:space:process:token`: containers may share a host's name, but not its process ids."""
    return f"{_host()}:{os.getpid()}:{secrets.token_hex(2)}"


def _host() -> str:
    space = PROCESSES.stat().st_ino if PROCESSES.exists() else 0
    return f"{socket.gethostname()}:{space:x}"


def is_dead(worker_id: str) -> bool:
    """Known of this host's workers alone. A process id that was given out again looks alive."""
    host, _, rest = worker_id.rpartition(":")[0].rpartition(":")
    if host != _host() or not rest.isdecimal():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


def take_back(queues: Iterable[Queue], *, is_dead: Callable[[str], bool] = is_dead) -> int:
    """Ends the leases of dead workers, so their tasks run again at once; returns how many.

    Two round trips for each queue, three if there are any; O(n) in the tasks that are lent.
    """
    taken = 0
    for queue in queues:
        orphans: list[Claim] = [it for it in queue.lent() if is_dead(it.workers.split()[-1])]
        if orphans:
            taken += len(orphans) - len(queue.renew(orphans, lease=0))
    return taken
