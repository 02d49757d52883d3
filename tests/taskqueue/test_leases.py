"""Claims, leases and who may finish a task."""

from datetime import timedelta

from django_tasks import TaskResultStatus

from redistools import keys
from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.store import Queue
from tests.taskqueue import tasks
from tests.taskqueue.observe import claim, done, drain, field, finish, later, marked, size


def test_a_claimed_task_is_lent_to_nobody_else() -> None:
    tasks.add.enqueue(1, 2)
    queue = Queue("default")
    assert len(claim(queue)) == 1
    assert claim(queue) == []


def test_a_claimed_task_says_that_it_runs_and_where() -> None:
    result = tasks.add.enqueue(1, 2)
    claim(Queue("default"), worker="here")
    result.refresh()
    assert result.status == TaskResultStatus.RUNNING
    assert result.worker_ids == ["here"]
    assert result.started_at is not None
    assert result.finished_at is None


def test_a_task_comes_back_when_its_lease_runs_out() -> None:
    tasks.note.enqueue("lease", "x")
    claim(Queue("default"), lease=30)
    drain(now=later(seconds=29))
    assert marked("lease") == []
    drain(now=later(seconds=31))
    assert marked("lease") == ["x"]
    assert size("leases") == 0


def test_a_renewed_lease_holds_longer() -> None:
    tasks.note.enqueue("renewed", "x")
    [held] = claim(Queue("default"), lease=30)
    assert Queue("default", now=later(seconds=20)).renew([held], lease=30) == set()
    drain(now=later(seconds=40))
    assert marked("renewed") == []
    drain(now=later(seconds=60))
    assert marked("renewed") == ["x"]


def test_who_lost_the_lease_can_neither_finish_nor_renew_nor_give_back() -> None:
    result = tasks.add.enqueue(1, 2)
    [lost] = claim(Queue("default"), lease=1)
    future = Queue("default", now=later(seconds=2))
    [newer] = claim(future, worker="second")
    assert finish(future, [done(lost)]) == [lost.id]
    assert future.renew([lost], lease=30) == {lost.id}
    assert future.give_back([lost]) == 0
    result.refresh()
    assert result.status == TaskResultStatus.RUNNING
    assert finish(future, [done(newer)]) == []


def test_an_expired_lease_that_nobody_took_over_may_still_finish() -> None:
    tasks.add.enqueue(1, 2)
    [late] = claim(Queue("default"), lease=1)
    assert finish(Queue("default", now=later(seconds=5)), [done(late)]) == []


def test_a_task_is_finished_once() -> None:
    tasks.add.enqueue(1, 2)
    queue = Queue("default")
    [held] = claim(queue)
    assert finish(queue, [done(held)]) == []
    assert finish(queue, [done(held)]) == [held.id]


def test_tasks_given_back_keep_their_order_and_count_no_attempt() -> None:
    results = [tasks.note.enqueue("order", str(n)) for n in range(5)]
    queue = Queue("default")
    held = [claim(queue)[0] for _ in range(3)]
    assert queue.give_back([held[2], held[0], held[1]]) == 3
    drain()
    assert marked("order") == ["0", "1", "2", "3", "4"]
    results[0].refresh()
    assert results[0].attempts == 1


def test_lost_tasks_keep_their_order() -> None:
    for n in range(4):
        tasks.note.enqueue("lost order", str(n))
    queue = Queue("default")
    for _ in range(2):
        claim(queue, lease=1)
    drain(now=later(seconds=2))
    assert marked("lost order") == ["0", "1", "2", "3"]


def test_nobody_claims_more_than_half_of_what_is_ready() -> None:
    for n in range(10):
        tasks.add.enqueue(n, n)
    queue = Queue("default")
    assert [len(claim(queue, most=100)) for _ in range(6)] == [5, 3, 1, 1, 0, 0]


def test_a_task_that_was_lost_before_is_lent_alone() -> None:
    lost, *others = [tasks.add.enqueue(n, n) for n in range(10)]
    claim(Queue("default"), lease=1)
    future = Queue("default", now=later(seconds=2))
    assert [task.id for task in claim(future, most=100)] == [lost.id]
    assert [task.id for task in claim(future, most=3)] == [other.id for other in others[:3]]


def test_a_lost_task_behind_others_waits_for_a_claim_of_its_own() -> None:
    lost = tasks.add.enqueue(0, 0)
    claim(Queue("default"), lease=1)
    urgent = [tasks.add.using(priority=1).enqueue(n, n) for n in range(3)]
    future = Queue("default", now=later(seconds=2))
    first = claim(future, most=2)
    assert [task.id for task in first] == [result.id for result in urgent[:2]]
    assert [task.id for task in claim(future, most=2)] == [urgent[2].id]
    assert [task.id for task in claim(future, most=2)] == [lost.id]


def test_a_task_that_takes_every_worker_down_fails() -> None:
    result = tasks.note.enqueue("poison", "x")
    for hour in range(5):
        claim(Queue("default", now=later(hours=hour)), lease=1)
    drain(now=later(hours=6))
    assert marked("poison") == []
    result.refresh()
    assert result.status == TaskResultStatus.FAILED
    assert result.errors[0].exception_class_path == "taskqueue.exceptions.WorkerLost"
    assert size("failed") == 1


def test_a_unique_key_is_free_while_its_task_runs() -> None:
    unique = tasks.add.using(unique_key="one")
    first = unique.enqueue(1, 1)
    claim(Queue("default"))
    assert unique.enqueue(2, 2).id != first.id


def test_a_lost_task_takes_its_unique_key_again() -> None:
    unique = tasks.add.using(unique_key="one")
    first = unique.enqueue(1, 1)
    claim(Queue("default"), lease=1)
    tasks.add.using(priority=1).enqueue(2, 2)
    claim(Queue("default", now=later(seconds=2)))  # lends the urgent one, puts the lost one back
    assert unique.enqueue(3, 3).id == first.id


def test_results_are_kept_for_their_time() -> None:
    result = tasks.add.enqueue(1, 2)
    queue = Queue("default")
    finish(queue, [done(claim(queue)[0])])
    assert 55 <= queue.client.ttl(keys.queued_task("default", result.id)) <= 60
    assert field(result.id, "status") == "SUCCESSFUL"


def test_many_delayed_tasks_come_due_together_and_all_run() -> None:
    due = later(hours=1)
    calls = [start.call(tasks.add_to_set.using(run_after=due), "herd", n) for n in range(1200)]
    get_backend("default").enqueue_many(calls)
    assert drain(now=due + timedelta(seconds=1)) == 1200
