"""Tasks share the fate of the transaction that asks for them."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings as site
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from taskqueue import outbox, start
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry
from taskqueue.recovery.marks import life_of_marks
from tests.cluster import on_a_server
from tests.running_site import wait_for
from tests.statements import statements
from tests.taskqueue import tasks
from tests.taskqueue.observe import marked, size
from tests.taskqueue.workers import Workplace

CRASH_BEFORE_RELAY = """
import os, sys
import django
django.setup()
from django.db import transaction
from taskqueue import start
from tests.taskqueue import tasks

start.relay = lambda entries: os._exit(9)
with transaction.atomic():
    start.on_commit(tasks.note, "crash", "survived")
"""


MAKE_OLD = """
import django
django.setup()
from datetime import UTC, datetime
from taskqueue.recovery.marks import life_of_marks
from taskqueue.models import OutboxEntry

assert OutboxEntry.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC)) == 1
"""


def enqueue_and_roll_back(value: str) -> None:
    with transaction.atomic():
        start.on_commit(tasks.note, "outbox", value)
        transaction.set_rollback(True)


@pytest.mark.django_db(transaction=True)
def test_a_committed_task_is_queued_and_waits_no_longer() -> None:
    with transaction.atomic():
        queued = start.on_commit(tasks.note, "outbox", "x")
        assert size("ready") == 0
        assert OutboxEntry.objects.count() == 1
    assert size("ready") == 1
    assert outbox.waiting() == 0
    drain()
    queued.refresh()
    assert queued.is_finished
    assert marked("outbox") == ["x"]


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_task_is_never_queued() -> None:
    enqueue_and_roll_back("x")
    assert OutboxEntry.objects.count() == 0
    assert drain() == 0
    with transaction.atomic():
        start.on_commit(tasks.note, "outbox", "y")
    drain()
    assert marked("outbox") == ["y"]


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_savepoint_takes_only_its_own_tasks_along() -> None:
    with transaction.atomic():
        start.on_commit(tasks.note, "outbox", "before")
        enqueue_and_roll_back("inside")
        start.on_commit(tasks.note, "outbox", "after")
    drain()
    assert marked("outbox") == ["before", "after"]


@pytest.mark.django_db(transaction=True)
def test_without_a_transaction_the_task_is_queued_at_once() -> None:
    start.on_commit(tasks.note, "outbox", "x")
    assert size("ready") == 1
    assert outbox.waiting() == 0


@pytest.mark.django_db(transaction=True)
def test_options_travel_through_the_outbox() -> None:
    due = timezone.now() + timedelta(hours=1)
    with transaction.atomic():
        start.on_commit(tasks.note.using(run_after=due), "outbox", "late")
        start.on_commit(tasks.note.using(priority=5), "outbox", "urgent")
        start.on_commit(tasks.note.using(priority=9, unique_key="one"), "outbox", "unique")
        start.on_commit(tasks.note.using(unique_key="one"), "outbox", "dropped")
    drain()
    assert marked("outbox") == ["unique", "urgent"]
    drain(now=due + timedelta(milliseconds=1))
    assert marked("outbox") == ["unique", "urgent", "late"]


def scripts_called() -> int:
    return int(get_client().info("commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"])


@on_a_server  # counts what one server was sent
@pytest.mark.django_db(transaction=True)
def test_a_transaction_with_many_tasks_costs_one_relay() -> None:
    life_of_marks()  # asks for it once
    before = scripts_called()
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        start.all_on_commit([start.call(tasks.note, "outbox", str(n)) for n in range(16)])
        start.on_commit(tasks.note, "outbox", "16")
    words = statements(queries)
    assert scripts_called() - before <= 2, "one that queues, and perhaps the marks already"
    assert [word for word in words if word not in ("BEGIN", "COMMIT")] == [
        *("INSERT", "INSERT", "SELECT"),
    ]
    drain()
    assert marked("outbox") == [str(n) for n in range(17)]


@pytest.mark.django_db(transaction=True)
def test_while_redis_is_away_the_row_stays_and_the_sweep_relays_it(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    url = settings.REDIS_URL
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    try:
        with transaction.atomic():
            start.on_commit(tasks.note, "outbox", "x")
    finally:
        settings.REDIS_URL = url
    assert "stay in the outbox" in caplog.text
    assert OutboxEntry.objects.count() == 1
    assert outbox.sweep() == 0  # too young: its writer may still be working on it
    assert outbox.sweep(older_than=timedelta(0)) == 1
    drain()
    assert marked("outbox") == ["x"]


@pytest.mark.django_db(transaction=True)
def test_a_row_whose_mark_was_lost_is_queued_once() -> None:
    with transaction.atomic():
        start.on_commit(tasks.note, "outbox", "x")
    drain()
    get_client().delete(keys.outbox_done())
    assert outbox.waiting() == 1
    assert outbox.sweep(older_than=timedelta(0)) == 1
    drain()
    assert marked("outbox") == ["x"]


def grow_old(*, marks_too: bool = True) -> None:
    """Rows, and as a rule the marks that say that they are done."""
    long_ago = timezone.now() - 2 * outbox.DONE_ROWS_KEPT
    OutboxEntry.objects.update(created_at=long_ago)
    assert outbox.waiting() == 0
    if marks_too:
        marks = {entry.id.hex: long_ago.timestamp() for entry in OutboxEntry.objects.all()}
        get_client().zadd(keys.outbox_done(), marks)


@pytest.mark.django_db(transaction=True)
def test_rows_are_removed_minutes_after_their_work_is_done() -> None:
    with transaction.atomic():
        start.all_on_commit([start.call(tasks.note, "outbox", str(n)) for n in range(3)])
        start.run_on_commit(tasks.note, "outbox", "here")
    drain()
    outbox.sweep()
    assert OutboxEntry.objects.count() == 4
    grow_old()
    assert outbox.sweep() == 0
    assert OutboxEntry.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_what_was_done_late_stays_as_long_as_anything_else() -> None:
    """Redis may have been away for an hour, and lose its newest second now."""
    with transaction.atomic():
        start.run_on_commit(tasks.note, "outbox", "x")
    grow_old(marks_too=False)
    outbox.sweep()
    assert OutboxEntry.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pause", [timedelta(0), timedelta(hours=1)])
def test_a_row_stays_until_its_task_is_done_even_if_redis_forgets_all(pause: timedelta) -> None:
    due = timezone.now() + pause
    with transaction.atomic():
        start.on_commit(tasks.note.using(run_after=due), "outbox", "x")
    grow_old()
    outbox.sweep()
    get_client().delete(*get_client().keys(f"{site.REDIS_KEY_PREFIX}*"))
    drain(now=due + timedelta(milliseconds=1))
    assert marked("outbox") == ["x"]
    grow_old()
    outbox.sweep()
    assert OutboxEntry.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_a_row_stays_while_the_queue_has_something_as_old() -> None:
    """It may be what the row's task queued."""
    with transaction.atomic():
        start.run_on_commit(tasks.note, "outbox", "x")
    grow_old()
    tasks.note.enqueue("outbox", "y")
    [ready] = get_client().scan_iter(keys.queued_task("default", "*"))
    age = 2 * outbox.DONE_ROWS_KEPT // timedelta(milliseconds=1)
    get_client().hincrby(ready, "since", -age)
    outbox.sweep()
    assert OutboxEntry.objects.count() == 1
    drain()
    assert OutboxEntry.objects.count() == 0


@pytest.mark.timeout(60)  # instead of going round in circles
@pytest.mark.django_db(transaction=True)
def test_rows_of_one_moment_may_fill_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "SWEEP_SIZE", 2)
    start.all_on_commit([start.call(tasks.note, "outbox", str(n)) for n in range(7)])
    OutboxEntry.objects.update(created_at=timezone.now() - timedelta(seconds=30))
    assert outbox.waiting() == 0
    get_client().delete(keys.outbox_done())
    assert outbox.waiting() == 7
    assert outbox.sweep() == 7


@pytest.mark.django_db(transaction=True)
def test_a_sweep_goes_on_behind_a_page_of_rows_that_are_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "SWEEP_SIZE", 2)
    with transaction.atomic():
        start.all_on_commit([start.call(tasks.note, "outbox", str(n)) for n in range(5)])
    OutboxEntry.objects.update(created_at=timezone.now() - timedelta(seconds=30))
    with transaction.atomic():
        start.on_commit(tasks.note, "outbox", "left")
        [left] = OutboxEntry.objects.order_by("-created_at")[:1]
    assert outbox.waiting() == 0
    get_client().zrem(keys.outbox_done(), left.id.hex)
    assert outbox.sweep(older_than=timedelta(0)) == 1
    assert outbox.waiting() == 0


@pytest.mark.django_db(transaction=True)
def test_work_done_on_commit_is_not_queued() -> None:
    with transaction.atomic():
        start.run_on_commit(tasks.note, "outbox", "here")
        assert marked("outbox") == []
    assert marked("outbox") == ["here"]
    assert outbox.waiting() == 0
    assert drain() == 0


@pytest.mark.django_db(transaction=True)
def test_work_on_commit_that_fails_is_left_to_a_worker() -> None:
    with transaction.atomic():
        start.run_on_commit(tasks.fail, "not here")
    assert drain() == 1
    assert size("delayed") == 1


@pytest.mark.django_db(transaction=True)
def test_rolled_back_work_is_done_nowhere() -> None:
    with transaction.atomic():
        start.run_on_commit(tasks.note, "outbox", "x")
        transaction.set_rollback(True)
    assert drain() == 0
    assert marked("outbox") == []


@pytest.mark.django_db
def test_drain_runs_what_a_test_has_not_committed() -> None:
    start.on_commit(tasks.note, "outbox", "x")
    assert drain() == 1
    assert marked("outbox") == ["x"]


def run(code: str, workplace: Workplace) -> int:
    """In a process of its own, on the database of the workers."""
    command = [sys.executable, "-c", code]
    environment = workplace.environment
    return subprocess.run(
        command, cwd=site.BASE_DIR, env=environment, timeout=60, check=False
    ).returncode


def test_a_task_survives_a_process_killed_between_commit_and_relay(workplace: Workplace) -> None:
    """The worker leaves young rows to the processes that wrote them."""
    assert run(CRASH_BEFORE_RELAY, workplace) == 9
    assert size("ready") == 0
    assert run(MAKE_OLD, workplace) == 0
    workplace.start()
    wait_for(lambda: marked("crash") == ["survived"])
