"""Marks on outbox rows: nobody waits for them, and none is lost while Redis answers."""

import multiprocessing
import threading
import uuid
from typing import Any

import pytest
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from taskqueue.recovery import marks
from taskqueue.recovery.marks import done_among, life_of_marks
from tests.chaos.mortal_redis import MortalRedis
from tests.cluster import on_a_server
from tests.running_site import wait_for


def mark_done(ids: list[uuid.UUID]) -> None:
    marks.mark_done(ids, life=life_of_marks())


def in_redis() -> int:
    return int(get_client().zcard(keys.outbox_done()))


def test_marks_reach_redis_by_themselves() -> None:
    mark_done([uuid.uuid4(), uuid.uuid4()])
    wait_for(lambda: in_redis() == 2)


def test_the_process_itself_knows_them_at_once() -> None:
    row, other = uuid.uuid4(), uuid.uuid4()
    mark_done([row])
    assert done_among([row, other]).keys() == {row}


def test_it_also_knows_those_that_are_just_being_written(monkeypatch: pytest.MonkeyPatch) -> None:
    row, taken, may_go_on = uuid.uuid4(), threading.Event(), threading.Event()
    run = Batch.run

    def run_slowly(batch: Batch) -> list[Any]:
        if threading.current_thread() is not threading.main_thread():
            taken.set()
            may_go_on.wait(10)
        return run(batch)

    monkeypatch.setattr(Batch, "run", run_slowly)
    mark_done([row])
    assert taken.wait(10)
    threading.Timer(0.1, may_go_on.set).start()
    assert done_among([row]).keys() == {row}


@on_a_server  # counts what one server was sent
def test_many_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "PAUSE_SECONDS", 0.3)
    done_among([uuid.uuid4()])  # connects
    before = get_client().info("commandstats").get("cmdstat_zadd", {"calls": 0})["calls"]
    for _ in range(100):
        mark_done([uuid.uuid4()])
    wait_for(lambda: in_redis() == 100)
    assert get_client().info("commandstats")["cmdstat_zadd"]["calls"] - before <= 3


def test_a_forked_process_writes_its_own() -> None:
    mark_done([uuid.uuid4()])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply(_mark_in_child)
        wait_for(lambda: in_redis() == 2)


def _mark_in_child() -> None:
    mark_done([uuid.uuid4()])


@on_a_server  # with a single log
def test_work_that_began_before_the_server_died_is_not_marked() -> None:
    """Redis may have lost it, and a mark that was written afterwards would hide that."""
    row, later = uuid.uuid4(), uuid.uuid4()
    marks.mark_done([row], life="an earlier one")
    mark_done([later])
    assert done_among([row, later]).keys() == {later}


@on_a_server  # which the test starts itself
def test_a_mark_says_in_which_life_of_the_server_the_work_began(
    settings: Settings, mortal_redis: MortalRedis
) -> None:
    settings.REDIS_URL = mortal_redis.url
    before, row, other, later = life_of_marks(), *(uuid.uuid4() for _ in range(3))
    marks.mark_done([row], life=before)
    assert done_among([row]).keys() == {row}
    mortal_redis.kill()
    mortal_redis.start()
    marks.mark_done([other], life=before)
    assert done_among([row, other]).keys() == {row}, "the first survived, the second is too late"
    mark_done([later])
    assert done_among([row, other, later]).keys() == {row, later}, "we know the new life"
