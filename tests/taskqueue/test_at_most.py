"""Tasks of which only some may run at once, over all workers."""

import pytest
from django_tasks import TaskResultStatus

from redistools import keys
from redistools.client import get_client
from redistools.semaphore import Semaphore
from taskqueue.at_most import at_most
from taskqueue.exceptions import PutOff
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, later, marked, size


def test_a_task_that_finds_no_place_is_put_off_without_counting_as_a_failure() -> None:
    slots = Semaphore(get_client(), "press", limit=2, lease=30)
    assert slots.enter("one")
    assert slots.enter("two")
    result = tasks.print_page.enqueue("page")
    for hour in range(4):  # more often than the task may fail
        drain(now=later(hours=hour))
    result.refresh()
    assert (result.status, result.errors, marked("page")) == (TaskResultStatus.READY, [], [])
    assert (size("delayed"), size("failed")) == (1, 0)

    slots.leave("one")
    drain(now=later(hours=4))
    result.refresh()
    assert (result.status, marked("page")) == (TaskResultStatus.SUCCESSFUL, ["printed"])


def test_the_place_is_free_again_afterwards_also_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), at_most(1, "press", lease=30):
        raise ZeroDivisionError
    with at_most(1, "press", lease=30), pytest.raises(PutOff), at_most(1, "press", lease=30):
        pass
    assert get_client().exists(keys.semaphore_tickets("press")) == 0
