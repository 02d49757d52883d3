"""Marks on outbox rows: nobody waits for them, and none is lost while Redis answers."""

import multiprocessing
import uuid

import pytest

from redistools import keys
from redistools.client import get_client
from taskqueue import marks
from taskqueue.marks import done_among, mark_done
from tests.running_site import wait_for


def in_redis() -> int:
    return int(get_client().zcard(keys.outbox_done()))


def test_marks_reach_redis_by_themselves() -> None:
    mark_done([uuid.uuid4(), uuid.uuid4()])
    wait_for(lambda: in_redis() == 2, seconds=5)


def test_the_process_itself_knows_them_at_once() -> None:
    row, other = uuid.uuid4(), uuid.uuid4()
    mark_done([row])
    assert done_among([row, other]) == {row}


def test_many_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "PAUSE_SECONDS", 0.3)
    done_among([uuid.uuid4()])  # connects
    before = get_client().info("commandstats").get("cmdstat_zadd", {"calls": 0})["calls"]
    for _ in range(100):
        mark_done([uuid.uuid4()])
    wait_for(lambda: in_redis() == 100, seconds=5)
    assert get_client().info("commandstats")["cmdstat_zadd"]["calls"] - before <= 3


def test_a_forked_process_writes_its_own() -> None:
    mark_done([uuid.uuid4()])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply(_mark_in_child)
        wait_for(lambda: in_redis() == 2, seconds=5)


def _mark_in_child() -> None:
    mark_done([uuid.uuid4()])
