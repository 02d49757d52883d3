"""The counter of round trips is right, and says what it counted."""

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from tests.races import in_threads
from tests.round_trips import COMMANDS_SHOWN, counting_round_trips, show_round_trips


def test_a_batch_is_one_trip_and_is_shown_in_words(key_prefix: str) -> None:
    get_client().ping()
    batch = Batch(get_client())
    batch.add("PING")
    batch.run()
    batch = Batch(get_client())
    for number in range(COMMANDS_SHOWN + 2):
        batch.add("SET", f"{key_prefix}{number}", "x" * 1000)
    with counting_round_trips() as trips:
        get_client().get(keys.suspended())
        batch.run()
    shown = str(trips).splitlines()
    assert len(trips) == len(shown) == 2
    assert f"redis.sock: GET {keys.suspended()}" in shown[0]
    assert f"SET {key_prefix}0 xxx" in shown[1]
    assert shown[1].endswith("; and 2 more")
    assert len(shown[1]) < 1000


def test_other_threads_do_not_count() -> None:
    with counting_round_trips() as trips:
        in_threads(2, lambda: get_client().ping())
    assert len(trips) == 0


def test_a_connection_that_was_silent_does_not_count_twice() -> None:
    get_client().ping()
    for connection in get_client().connection_pool._available_connections:  # type: ignore[union-attr] # of a server
        connection.next_health_check = 1
    with counting_round_trips() as trips:
        get_client().ping()
    assert len(trips) == 1, str(trips)


def test_a_failed_test_shows_what_it_sent() -> None:
    get_client().ping()
    with counting_round_trips():
        get_client().ping()
    report = pytest.TestReport("it", ("it.py", 1, "it"), {}, "failed", None, "call")
    show_round_trips(report)
    assert [(name, text.endswith(": PING")) for name, text in report.sections] == [
        ("1 round trips", True)
    ]
