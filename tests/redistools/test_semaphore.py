import time
from threading import Thread

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.semaphore import WAITING_LEASE_MS, Semaphore, SemaphoreFull, semaphore
from tests.races import in_processes, in_threads
from tests.running_site import wait_for

NOW = 1_700_000_000_000


def exports(limit: int, lease: float = 30) -> Semaphore:
    return Semaphore(get_client(), "exports", limit=limit, lease=lease)


def queue_length() -> int:
    return int(get_client().zcard(keys.semaphore_tickets("exports")))


def wait_for_queue_length(length: int) -> None:
    wait_for(lambda: queue_length() == length, what=f"a queue of {length}")


def count_those_inside(counter: str, times: int) -> int:
    """The most that were ever inside at the same time as us."""
    client, most = get_client(), 0
    for _ in range(times):
        with semaphore(client, "exports", limit=3, lease=30, wait=60):
            most = max(most, int(client.incr(counter)))
            client.decr(counter)
    return most


def count_in_threads(counter: str) -> int:
    return max(in_threads(4, count_those_inside, counter, 5))


def test_over_many_processes_and_threads_never_more_than_the_limit_are_inside(
    key_prefix: str,
) -> None:
    most = max(in_processes(4, count_in_threads, f"{key_prefix}inside"))
    assert most <= 3
    assert queue_length() == 0


def test_as_many_as_the_limit_get_in_at_once() -> None:
    assert [exports(2).enter(name) for name in ("alice", "bob", "carol")] == [True, True, False]


def test_who_came_first_gets_in_first_whoever_asks_first() -> None:
    for name in ("alice", "bob", "carol"):
        exports(1).enter(name)
    exports(1).leave("alice")
    assert not exports(1).enter("carol")
    assert exports(1).enter("bob")
    exports(1).leave("bob")
    assert exports(1).enter("carol")


def test_a_newcomer_does_not_slip_past_those_who_wait() -> None:
    exports(1).enter("alice")
    exports(1).enter("bob")
    exports(1).leave("alice")
    assert not exports(1).enter("carol")


def test_threads_that_wait_get_in_in_the_order_they_came() -> None:
    order: list[int] = []

    def wait_in_line(number: int) -> None:
        with semaphore(get_client(), "exports", limit=1, lease=30, wait=30):
            order.append(number)

    exports(1).enter("alice")
    threads = [Thread(target=wait_in_line, args=(number,)) for number in range(6)]
    for slot, thread in enumerate(threads, start=2):
        thread.start()
        wait_for_queue_length(slot)
    exports(1).leave("alice")
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4, 5]


def test_asking_again_keeps_the_place_inside() -> None:
    assert exports(1).enter("alice")
    assert exports(1).enter("alice")
    assert queue_length() == 1


def test_a_lease_that_ends_lets_the_next_one_in() -> None:
    exports(1, lease=2).enter("alice", now_ms=NOW)
    exports(1).enter("bob", now_ms=NOW)
    assert not exports(1).enter("bob", now_ms=NOW + 1_999)
    assert exports(1).enter("bob", now_ms=NOW + 2_000)


def test_refreshing_keeps_the_place() -> None:
    exports(1).enter("alice", now_ms=NOW)
    assert exports(1).refresh("alice", now_ms=NOW + 29_000)
    assert not exports(1).enter("bob", now_ms=NOW + 58_000)
    assert exports(1).enter("bob", now_ms=NOW + 59_000)


def test_refreshing_tells_when_the_lease_had_ended() -> None:
    exports(1).enter("alice", now_ms=NOW)
    assert not exports(1).refresh("alice", now_ms=NOW + 30_000)
    assert exports(1).enter("bob", now_ms=NOW + 30_000)


def test_who_waits_and_asks_in_time_keeps_the_place_for_long() -> None:
    exports(1, lease=60).enter("alice", now_ms=NOW)
    exports(1).enter("bob", now_ms=NOW)
    exports(1).enter("carol", now_ms=NOW)
    for later in range(0, 60_000, WAITING_LEASE_MS - 1):
        exports(1).enter("carol", now_ms=NOW + later)
        exports(1).enter("bob", now_ms=NOW + later)
    assert not exports(1).enter("carol", now_ms=NOW + 60_000)
    assert exports(1).enter("bob", now_ms=NOW + 60_000)


def test_who_stops_asking_does_not_hold_up_those_behind() -> None:
    exports(1, lease=60).enter("alice", now_ms=NOW)
    exports(1).enter("bob", now_ms=NOW)
    exports(1).enter("carol", now_ms=NOW + 1)
    exports(1).leave("alice", now_ms=NOW + 2)
    assert exports(1).enter("carol", now_ms=NOW + WAITING_LEASE_MS)


def test_leaving_twice_does_nothing_the_second_time() -> None:
    exports(1).enter("alice")
    assert exports(1).leave("alice")
    exports(1).enter("bob")
    assert not exports(1).leave("alice")
    assert not exports(1).enter("carol")


def test_the_newest_pushes_out_the_oldest() -> None:
    phones = exports(2)
    assert [phones.enter_as_newest(name) for name in ("a", "b", "c")] == [[], [], ["a"]]
    assert not phones.refresh("a")
    assert phones.refresh("b")
    assert phones.refresh("c")


def test_a_lower_limit_pushes_out_several_oldest_first() -> None:
    for name in ("a", "b", "c", "d"):
        exports(4).enter_as_newest(name)
    assert exports(2).enter_as_newest("e") == ["a", "b", "c"]


def test_the_newest_need_not_push_when_a_lease_has_ended() -> None:
    exports(2, lease=1).enter_as_newest("a", now_ms=NOW)
    exports(2).enter_as_newest("b", now_ms=NOW)
    assert exports(2).enter_as_newest("c", now_ms=NOW + 1_000) == []


def test_entering_again_as_newest_makes_a_ticket_the_newest() -> None:
    for name in ("a", "b", "a"):
        exports(2).enter_as_newest(name)
    assert exports(2).enter_as_newest("c") == ["b"]


def test_newcomers_of_many_threads_push_out_all_but_the_limit() -> None:
    def come_in() -> int:
        tickets = [f"{time.perf_counter_ns()}-{id(object())}-{n}" for n in range(20)]
        return sum(len(exports(5).enter_as_newest(ticket)) for ticket in tickets)

    assert sum(in_threads(8, come_in)) == 8 * 20 - 5
    assert queue_length() == 5


def test_an_abandoned_semaphore_leaves_nothing_behind() -> None:
    exports(1, lease=40).enter("alice")
    exports(1, lease=20).enter_as_newest("bob")
    for key in (keys.semaphore_tickets("exports"), keys.semaphore_leases("exports")):
        assert 0 < get_client().pttl(key) <= 40_000


def test_the_block_holds_a_place_and_gives_it_back() -> None:
    with semaphore(get_client(), "exports", limit=1, lease=30, wait=0) as slot:
        assert slot.refresh()
        assert not exports(1).enter("bob")
        exports(1).leave("bob")
    assert exports(1).enter("bob")


def test_an_error_in_the_block_gives_the_place_back() -> None:
    with (
        pytest.raises(ZeroDivisionError),
        semaphore(get_client(), "exports", limit=1, lease=30, wait=0),
    ):
        raise ZeroDivisionError
    assert queue_length() == 0


def test_a_place_that_can_not_be_given_back_does_not_hide_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def spoil_the_queue_and_fail() -> None:
        get_client().delete(keys.semaphore_tickets("exports"))
        get_client().set(keys.semaphore_tickets("exports"), "no queue at all")
        raise ZeroDivisionError

    with (
        pytest.raises(ZeroDivisionError),
        semaphore(get_client(), "exports", limit=1, lease=30, wait=0),
    ):
        spoil_the_queue_and_fail()
    assert "'exports' could not be left, its lease will run out" in caplog.text


def test_who_waited_in_vain_is_told_and_leaves_the_queue() -> None:
    exports(1).enter("alice")
    with (
        pytest.raises(SemaphoreFull, match="All 1 slots of 'exports' were taken for 0"),
        semaphore(get_client(), "exports", limit=1, lease=30, wait=0),
    ):
        pass
    assert queue_length() == 1


@pytest.mark.parametrize(("limit", "lease"), [(0, 30), (1, 0), (-1, 30)])
def test_a_semaphore_that_lets_nobody_in_is_refused(limit: int, lease: float) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        exports(limit, lease)
