"""`manage.py queue_stats`."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from redistools.scripts import Batch
from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.stats import queue_stats, rate
from taskqueue.store import Queue
from tests.taskqueue import tasks
from tests.taskqueue.observe import claim, drain, later


def fill() -> None:
    """One failed, one done, one running, one delayed, two ready."""
    tasks.fail_once_and_for_all.enqueue()
    tasks.add.enqueue(0, 0)
    drain()
    for number in range(3):
        tasks.add.enqueue(number, number)
    claim(Queue("default"))
    tasks.add.using(run_after=later(hours=1)).enqueue(1, 1)


def shown(*arguments: str) -> str:
    output = io.StringIO()
    call_command("queue_stats", *arguments, stdout=output)
    return output.getvalue()


def test_each_part_is_counted() -> None:
    fill()
    stats = queue_stats("default")
    assert (stats.ready, stats.delayed, stats.running, stats.failed) == (2, 1, 1, 1)
    assert stats.oldest_seconds is not None
    assert 0 <= stats.oldest_seconds < 60
    assert stats.per_minute > 0


def test_an_empty_queue_has_no_oldest_task() -> None:
    assert queue_stats("default").oldest_seconds is None


def test_the_oldest_task_may_have_any_priority() -> None:
    hour_ago = Queue("default", now=later(hours=-1))
    message, _ = get_backend("default").prepare(start.call(tasks.add.using(priority=-50), 1, 1))
    batch = Batch(hour_ago.client)
    hour_ago.add_messages(batch, [message])
    batch.run()
    tasks.add.using(priority=50).enqueue(1, 1)
    tasks.add.enqueue(1, 1)
    oldest = queue_stats("default").oldest_seconds
    assert oldest is not None
    assert oldest == pytest.approx(3600, abs=30)


def test_the_rate_covers_the_last_sixty_seconds() -> None:
    noon = timedelta(days=20_000, hours=12).total_seconds()
    minute = int(noon // 60)
    counts = {str(minute): "10", str(minute - 1): "60", str(minute - 2): "1000"}
    assert rate(counts, noon) == 70
    assert rate(counts, noon + 30) == 40
    assert rate(counts, noon + 150) == 0


@pytest.mark.django_db
def test_the_table_has_a_line_for_each_queue() -> None:
    fill()
    head, line, *_ = shown().splitlines()
    assert head.split() == "queue ready delayed running failed oldest per minute".split()
    assert line.split()[:5] == ["default", "2", "1", "1", "1"]


@pytest.mark.django_db
def test_json_is_for_machines() -> None:
    fill()
    stats = json.loads(shown("--json"))
    assert stats["outbox"] == 0
    assert stats["queues"][0]["queue"] == "default"
    assert (stats["queues"][0]["running"], stats["queues"][0]["failed"]) == (1, 1)


def test_without_redis_the_command_says_so(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    with pytest.raises(CommandError, match="Redis does not answer"):
        shown()
