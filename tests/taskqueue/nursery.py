"""`python -m tests.taskqueue.nursery WORKERS KILLS`: workers that are killed and replaced.

Every 200 ms one of them, chosen by lot, gets SIGKILL and a new one takes its place. After the last
kill they work on undisturbed until SIGTERM. Forked, because a fresh Python would live less long
than it takes to start.
"""

import importlib
import os
import random
import signal
import sys
import time
from typing import NoReturn

import django

KILL_SECONDS = 0.2


def main(workers: int, kills: int) -> None:
    django.setup()
    # Imported here so that the children need not, but without opening a connection.
    importlib.import_module("taskqueue.worker")

    children = [fork_worker() for _ in range(workers)]
    for _ in range(kills):
        time.sleep(KILL_SECONDS)
        victim = random.randrange(workers)
        os.kill(children[victim], signal.SIGKILL)
        os.waitpid(children[victim], 0)
        children[victim] = fork_worker()
    print("killed enough", flush=True)
    signal.sigwait({signal.SIGTERM})
    for child in children:
        os.kill(child, signal.SIGTERM)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    sys.exit(max(codes))


def fork_worker() -> int:
    child = os.fork()
    return child or work()


def work() -> NoReturn:
    from taskqueue.backend import get_backend
    from taskqueue.management.commands.worker import stop_on_signals
    from taskqueue.worker import Worker

    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    worker = Worker(get_backend("default"), concurrency=2)
    stop_on_signals(worker)
    os._exit(0 if worker.run() else 1)


if __name__ == "__main__":
    # For sigwait; the children undo it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    main(*map(int, sys.argv[1:]))
