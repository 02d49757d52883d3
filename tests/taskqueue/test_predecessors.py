"""A worker goes on at once with what a dead one of its host had begun."""

import os
import subprocess
import sys

import pytest

from taskqueue.store import Queue
from taskqueue.working.identity import is_dead, new_worker_id, take_back
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import claim, drain, marked, size
from tests.taskqueue.workers import Workplace


def process_of_the_past() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def worker_with(process_id: int) -> str:
    return new_worker_id().replace(f":{os.getpid()}:", f":{process_id}:")


def test_a_worker_is_dead_when_its_process_is_gone() -> None:
    assert not is_dead(new_worker_id())
    assert not is_dead(worker_with(1))  # which we may not signal, or which is there anyway
    assert is_dead(worker_with(process_of_the_past()))


@pytest.mark.parametrize("name", ["drain", "", ":::", "elsewhere:f:1:ab", "vm:17668:926a"])
def test_nothing_is_known_of_workers_elsewhere(name: str) -> None:
    assert not is_dead(name)


def test_the_tasks_of_a_dead_worker_run_again_at_once() -> None:
    for value in ("x", "y"):
        tasks.note.enqueue("orphans", value)
    queue = Queue("default")
    [lost] = claim(queue, worker=worker_with(process_of_the_past()), most=1)
    claim(queue, worker=new_worker_id(), most=1)
    assert lost.id in {task.id for task in queue.lent()}
    assert take_back([queue]) == 1
    drain()
    assert marked("orphans") == ["x"], "the other worker lives"
    assert size("leases") == 1


def test_what_its_worker_has_finished_meanwhile_is_left_alone() -> None:
    tasks.note.enqueue("orphans", "x")
    queue = Queue("default")
    claim(queue, worker="dead")

    def finish(_worker: str) -> bool:
        queue.give_back(queue.lent())
        return True

    assert take_back([queue], is_dead=finish) == 0
    assert take_back([queue], is_dead=lambda _worker: True) == 0


def test_a_worker_that_starts_again_goes_on_where_it_was_killed(workplace: Workplace) -> None:
    """Long before the lease of 30 seconds is over."""
    tasks.note.enqueue("orphans", "x")
    claim(Queue("default"), worker=worker_with(process_of_the_past()), lease=10_000)
    workplace.start()
    wait_for(lambda: marked("orphans") == ["x"])
