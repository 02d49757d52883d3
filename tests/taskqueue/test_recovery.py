"""A Redis that came back with less than it had is noticed, and what it lost is repeated."""

import os
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from redistools import keys, memory
from redistools.client import get_client
from taskqueue import outbox, start
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry, RedisMemory
from taskqueue.recovery import watch as watching
from taskqueue.recovery.watch import Watch
from taskqueue.store import Queue
from tests.chaos.mortal_redis import MortalRedis
from tests.cluster import on_a_server
from tests.races import in_threads
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import claim, done, finish, marked

pytestmark = pytest.mark.django_db(transaction=True)


def note_something() -> None:
    with transaction.atomic():
        start.run_on_commit(tasks.note, "here", "x")
        start.on_commit(tasks.note, "there", "y")
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])
    assert outbox.waiting() == 0  # all marks are written


# One log: what is left of it proves what was done ---------------------------------------------


@pytest.fixture
def redis(settings: Settings, mortal_redis: MortalRedis) -> MortalRedis:
    """Where the test writes, and which it may kill. What it answered is in its log."""
    settings.REDIS_URL = mortal_redis.url
    get_client().config_set("appendfsync", "always")
    return mortal_redis


def die(redis: MortalRedis, *, and_keep: int | None = None) -> None:
    redis.kill()
    if and_keep is not None:
        os.truncate(redis.log, and_keep)
    redis.start()


@on_a_server
def test_a_death_that_lost_nothing_repeats_nothing_that_is_done(redis: MortalRedis) -> None:
    watch = Watch()
    watch.look()
    note_something()
    die(redis)
    watch.look()
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])


@on_a_server
def test_what_is_not_done_is_repeated_after_a_death(redis: MortalRedis) -> None:
    watch = Watch()
    watch.look()
    with transaction.atomic():
        start.run_on_commit(tasks.note, "here", "x")
        start.on_commit(tasks.note, "there", "y")
    die(redis)
    watch.look()
    drain()
    assert marked("there") == ["y"]


@on_a_server
@pytest.mark.parametrize("part", range(9))
def test_wherever_the_log_is_cut_all_work_is_there_afterwards(
    redis: MortalRedis, part: int
) -> None:
    watch = Watch()
    watch.look()
    before = redis.log.stat().st_size
    for number in range(10):
        with transaction.atomic():
            start.run_on_commit(tasks.add_to_set, "lost", number)
            start.on_commit(tasks.add_to_set, "lost", 100 + number)
        drain()
    assert outbox.waiting() == 0
    after = redis.log.stat().st_size
    die(redis, and_keep=before + (after - before) * part // 8)
    watch.look()

    def found() -> set[int]:
        drain()
        return {int(it) for it in get_client().smembers(tasks.marks("lost"))}

    # A task that was lent where the log ends comes back when its lease does.
    wait_for(lambda: found() == {*range(10), *range(100, 110)}, what="all work")


@on_a_server
def test_a_flushed_redis_gets_everything_back(redis: MortalRedis) -> None:
    watch = Watch()
    watch.look()
    note_something()
    get_client().flushall()
    watch.look()
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])


@on_a_server
def test_a_task_that_began_before_the_death_runs_again(redis: MortalRedis) -> None:
    """Redis knows that it was lent, but perhaps no longer what it did."""
    tasks.note.enqueue("here", "x")
    queue = Queue("default")
    [lent] = claim(queue)
    ending = done(lent)
    die(redis)
    assert finish(queue, [ending]) == []
    assert drain() == 1
    assert marked("here") == ["x"]


def test_what_is_late_comes_after_what_is_new() -> None:
    with transaction.atomic():
        start.on_commit(tasks.note, "order", "lost")
    drop_from_redis()
    OutboxEntry.objects.update(created_at=timezone.now() - timedelta(seconds=30))
    assert outbox.sweep() == 1
    tasks.note.enqueue("order", "new")
    drain()
    assert marked("order") == ["new", "lost"]


def drop_from_redis() -> None:
    assert outbox.waiting() == 0
    names = get_client().scan_iter(keys.queue("default", "*"))
    get_client().delete(keys.outbox_done(), *names)


# Several logs: each master may lose something by itself -----------------------------------------


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Has seen Redis whole."""
    monkeypatch.setattr(memory, "_servers", lambda _client: "one two")
    watch = Watch()
    watch.look()
    return watch


def lose_everything() -> None:
    get_client().delete(tasks.marks("here"), tasks.marks("there"), *memory._marks())


def test_a_redis_that_is_whole_is_left_alone(watch: Watch) -> None:
    note_something()
    for _ in range(3):
        assert watch.look() == watching.LOOK_SECONDS
    assert drain() == 0


def test_the_first_worker_of_a_site_repeats_nothing() -> None:
    note_something()
    Watch().look()
    assert drain() == 0
    assert memory.look(get_client()).mark


def test_what_redis_lost_is_done_again(watch: Watch) -> None:
    note_something()
    lose_everything()
    watch.look()
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])
    watch.look()
    assert drain() == 0, "once"


def test_another_server_is_noticed(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restart, or a replica that became the master: it has the marks, but another run id."""
    note_something()
    get_client().delete(tasks.marks("here"))
    monkeypatch.setattr(memory, "_servers", lambda _client: "one three")
    watch.look()
    drain()
    assert marked("here") == ["x"]


def test_one_partition_that_lost_its_mark_is_enough(watch: Watch) -> None:
    note_something()
    get_client().delete(keys.memory_mark(3))
    watch.look()
    assert drain() == 2


def test_a_new_worker_notices_what_happened_before_it_began(watch: Watch) -> None:
    note_something()
    lose_everything()
    Watch().look()
    drain()
    assert marked("here") == ["x"]


def test_of_many_workers_one_repeats_the_past(watch: Watch) -> None:
    watches = [watch, *(Watch() for _ in range(3))]
    for other in watches:
        other.look()
    note_something()
    lose_everything()
    waiting = list(watches)
    in_threads(4, lambda: waiting.pop().look())
    for other in watches:
        other.look()
    assert drain() == 2


def test_a_worker_that_dies_before_the_end_leaves_it_to_the_next(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_something()
    lose_everything()
    with monkeypatch.context() as patch:
        patch.setattr(outbox, "repeat", lambda **_when: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            watch.look()
    Watch().look()
    drain()
    assert marked("here") == ["x"]


def test_it_is_repeated_again_for_those_who_noticed_late(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "AGAIN_AFTER", (timedelta(seconds=0.2),))
    note_something()
    lose_everything()
    watch.look()
    drain()
    get_client().delete(tasks.marks("here"))
    wait_for(lambda: is_back(watch))


def is_back(watch: Watch) -> bool:
    watch.look()
    drain()
    return marked("here") == ["x"]


@pytest.mark.parametrize("seconds", [-0.2, 0.2])
def test_a_worker_that_begins_meanwhile_repeats_it_too(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Whether it was due already or not: the one who noticed may be dead."""
    note_something()
    lose_everything()
    watch.look()
    drain()
    get_client().delete(tasks.marks("here"))
    again = (timedelta(seconds=seconds), timedelta(minutes=1))
    monkeypatch.setattr(watching, "AGAIN_AFTER", again)
    wait_for(partial(is_back, Watch()))


def test_a_worker_that_begins_later_repeats_nothing(watch: Watch) -> None:
    note_something()
    lose_everything()
    watch.look()
    drain()
    RedisMemory.objects.update(lost_at=timezone.now() - timedelta(minutes=2))
    Watch().look()
    assert drain() == 0


def test_what_was_done_before_all_masters_were_whole_is_not_repeated(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_something()
    done_at = (timezone.now() - 2 * watching.LEEWAY).timestamp()
    marks = {entry.id.hex: done_at for entry in OutboxEntry.objects.all()}
    get_client().zadd(keys.outbox_done(), marks)
    watch.look()  # renews the marks
    monkeypatch.setattr(memory, "_servers", lambda _client: "one three")
    watch.look()
    assert drain() == 0


def test_a_master_that_died_keeps_the_mark_that_says_what_it_lost(watch: Watch) -> None:
    before = memory.look(get_client())
    alive = memory.lives(get_client())
    died = keys.memory_mark(3)
    memory.leave_mark(get_client(), before.mark, alive | {died: "an earlier life"})
    assert memory.look(get_client()).whole_until == before.whole_until
    memory.leave_mark(get_client(), before.mark, alive)
    assert memory.look(get_client()).whole_until > before.whole_until


def test_a_repeat_that_waits_is_not_queued_again(watch: Watch) -> None:
    note_something()
    long_ago = timezone.now() - timedelta(hours=1)
    for _ in range(3):
        assert outbox.repeat(since=long_ago) == 2
    assert drain() == 2


def test_a_repeat_that_runs_runs_once_more(watch: Watch) -> None:
    """Its writes may be lost too."""
    with transaction.atomic():
        start.on_commit(tasks.note, "there", "y")
    [lent] = claim(Queue("default"))
    for _ in range(2):
        outbox.repeat(since=timezone.now() - timedelta(hours=1))
    finish(Queue("default"), [done(lent)])
    assert drain() == 1


def test_the_newest_is_repeated_first(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the most likely to be lost."""
    monkeypatch.setattr(outbox, "SWEEP_SIZE", 2)
    for number in range(5):
        with transaction.atomic():
            start.run_on_commit(tasks.note, "order", str(number))
    assert outbox.waiting() == 0
    get_client().delete(tasks.marks("order"), *memory._marks())
    watch.look()
    drain()
    assert marked("order") == ["4", "3", "2", "1", "0"]
