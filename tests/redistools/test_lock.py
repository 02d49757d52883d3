import logging
from contextlib import ExitStack
from threading import Thread

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.lock import LockLost, LockNotAcquired, lock
from tests.races import in_processes, in_threads


def add_slowly(counter: str, times: int) -> None:
    """Reads, then writes: two at once lose a count unless a lock keeps them apart."""
    client = get_client()
    for _ in range(times):
        with lock(client, "counter", timeout=30):
            client.set(counter, int(str(client.get(counter) or 0)) + 1)


def add_in_threads(counter: str) -> None:
    in_threads(4, add_slowly, counter, 5)


def run_out(name: str) -> None:
    """As its timeout would, without waiting for it."""
    get_client().delete(keys.lock(name))


def test_many_processes_and_threads_hold_it_one_at_a_time(key_prefix: str) -> None:
    counter = f"{key_prefix}counter"
    in_processes(4, add_in_threads, counter)
    assert get_client().get(counter) == "80"


def test_a_kept_lock_outlives_its_timeout() -> None:
    with (
        lock(get_client(), "rebuild", timeout=0.3) as held,
        held.kept(),
        pytest.raises(LockNotAcquired),
        lock(get_client(), "rebuild", timeout=0.3, wait=1),
    ):
        pass
    with lock(get_client(), "rebuild", timeout=30, wait=0):
        pass  # free again


def test_who_does_not_get_it_in_time_is_told_its_name() -> None:
    with (
        lock(get_client(), "rebuild", timeout=30),
        pytest.raises(LockNotAcquired, match="'rebuild' was still held by another after 0"),
        lock(get_client(), "rebuild", timeout=30, wait=0),
    ):
        pass


def test_it_is_free_again_after_the_block() -> None:
    for _ in range(2):
        with lock(get_client(), "rebuild", timeout=30, wait=0):
            pass


def test_it_is_free_again_after_an_error_in_the_block() -> None:
    with pytest.raises(ZeroDivisionError), lock(get_client(), "rebuild", timeout=30):
        raise ZeroDivisionError
    with lock(get_client(), "rebuild", timeout=30, wait=0):
        pass


def test_locks_of_two_names_do_not_wait_for_each_other() -> None:
    with lock(get_client(), "a", timeout=30), lock(get_client(), "b", timeout=30, wait=0):
        pass


def test_it_runs_out_by_itself() -> None:
    with lock(get_client(), "rebuild", timeout=30):
        assert 29_000 < get_client().pttl(keys.lock("rebuild")) <= 30_000


def test_extending_starts_the_timeout_anew() -> None:
    with lock(get_client(), "rebuild", timeout=30) as held:
        get_client().pexpire(keys.lock("rebuild"), 1_000)
        held.extend()
        assert get_client().pttl(keys.lock("rebuild")) > 29_000


def test_another_thread_may_extend() -> None:
    with lock(get_client(), "rebuild", timeout=30) as held:
        get_client().pexpire(keys.lock("rebuild"), 1_000)
        helper = Thread(target=held.extend)
        helper.start()
        helper.join()
        assert get_client().pttl(keys.lock("rebuild")) > 29_000


def test_extending_a_lost_lock_says_so() -> None:
    with lock(get_client(), "rebuild", timeout=30) as held:
        run_out("rebuild")
        with pytest.raises(LockLost, match="'rebuild' ran out after its 30 s"):
            held.extend()


def test_a_lost_lock_is_not_taken_from_who_holds_it_now() -> None:
    with ExitStack() as bobs:
        with lock(get_client(), "rebuild", timeout=30) as alices:
            run_out("rebuild")
            bobs.enter_context(lock(get_client(), "rebuild", timeout=30))
            with pytest.raises(LockLost):
                alices.extend()
        with pytest.raises(LockNotAcquired), lock(get_client(), "rebuild", timeout=30, wait=0):
            pass


def test_losing_it_in_the_block_is_logged_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with lock(get_client(), "rebuild", timeout=30):
        run_out("rebuild")
    assert caplog.record_tuples[0][:2] == ("redistools.lock", logging.WARNING)
    assert "'rebuild' could not be released" in caplog.text


def test_losing_it_does_not_hide_an_error_of_the_block() -> None:
    def lose_it_and_fail() -> None:
        run_out("rebuild")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), lock(get_client(), "rebuild", timeout=30):
        lose_it_and_fail()


@pytest.mark.parametrize("timeout", [0, -1, 0.0001])
def test_a_lock_without_a_timeout_is_refused(timeout: float) -> None:
    with (
        pytest.raises(ValueError, match="at least 1 ms"),
        lock(get_client(), "rebuild", timeout=timeout),
    ):
        pass
