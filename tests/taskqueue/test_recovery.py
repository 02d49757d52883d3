"""A Redis that came back with less than it had is noticed, and the recent past repeated."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction
from django.utils import timezone

from redistools import keys, memory
from redistools.client import get_client
from taskqueue import outbox, recovery
from taskqueue.drain import drain
from taskqueue.models import OutboxEntry, RedisMemory
from taskqueue.outbox import enqueue_on_commit, run_on_commit
from taskqueue.recovery import Watch
from tests.races import in_threads
from tests.running_site import wait_for
from tests.taskqueue import tasks
from tests.taskqueue.observe import marked

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def watch() -> Watch:
    """Has seen Redis whole."""
    watch = Watch()
    watch.look()
    return watch


def note_something() -> None:
    with transaction.atomic():
        run_on_commit(tasks.note, "here", "x")
        enqueue_on_commit(tasks.note, "there", "y")
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])


def lose_everything() -> None:
    get_client().delete(tasks.marks("here"), tasks.marks("there"), *memory._marks())


def test_a_redis_that_is_whole_is_left_alone(watch: Watch) -> None:
    note_something()
    for _ in range(3):
        assert watch.look() == recovery.LOOK_SECONDS
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
    monkeypatch.setattr(memory, "_servers", lambda _client: "another")
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
    monkeypatch.setattr(recovery, "AGAIN_AFTER", (timedelta(seconds=0.2),))
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
    monkeypatch.setattr(recovery, "AGAIN_AFTER", again)
    wait_for(partial(is_back, Watch()))


def test_a_worker_that_begins_later_repeats_nothing(watch: Watch) -> None:
    note_something()
    lose_everything()
    watch.look()
    drain()
    RedisMemory.objects.update(lost_at=timezone.now() - timedelta(minutes=2))
    Watch().look()
    assert drain() == 0


def write_long_ago() -> None:
    OutboxEntry.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert outbox.waiting() == 0  # all marks are written


def test_the_distant_past_is_not_repeated(watch: Watch) -> None:
    note_something()
    write_long_ago()
    long_ago = (timezone.now() - timedelta(minutes=2)).timestamp()
    marks = {entry.id.hex: long_ago for entry in OutboxEntry.objects.all()}
    get_client().zadd(keys.outbox_done(), marks)
    lose_everything()
    watch.look()
    assert drain() == 0


def test_what_was_written_long_ago_and_done_lately_is_repeated(watch: Watch) -> None:
    """As after an outage of Redis."""
    note_something()
    write_long_ago()
    lose_everything()
    watch.look()
    drain()
    assert (marked("here"), marked("there")) == (["x"], ["y"])


def test_sql_knows_when_redis_was_last_seen_whole(
    watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "NOTE_EVERY", timedelta(0))
    RedisMemory.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    watch.look()
    assert RedisMemory.objects.get().seen_at > timezone.now() - timedelta(seconds=5)


def test_the_newest_is_repeated_first(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the most likely to be lost."""
    monkeypatch.setattr(outbox, "SWEEP_SIZE", 2)
    for number in range(5):
        with transaction.atomic():
            run_on_commit(tasks.note, "order", str(number))
    assert outbox.waiting() == 0
    get_client().delete(tasks.marks("order"), *memory._marks())
    watch.look()
    drain()
    assert marked("order") == ["4", "3", "2", "1", "0"]
