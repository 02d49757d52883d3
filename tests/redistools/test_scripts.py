import pytest
from redis.exceptions import ResponseError

from redistools import scripts
from redistools.client import get_client
from redistools.scripts import Batch
from tests.round_trips import counting_round_trips


def test_a_batch_answers_in_order(key_prefix: str) -> None:
    batch = Batch(get_client())
    batch.add("SET", f"{key_prefix}a", 1)
    batch.add("INCR", f"{key_prefix}a")
    assert batch.run() == [True, 2]


def test_an_empty_batch_costs_nothing() -> None:
    assert Batch(get_client()).run() == []


def test_a_batch_raises_the_first_error_after_all_commands_ran(key_prefix: str) -> None:
    batch = Batch(get_client())
    batch.add("SET", f"{key_prefix}a", "text")
    batch.add("INCR", f"{key_prefix}a")
    batch.add("SET", f"{key_prefix}b", "written")
    with pytest.raises(ResponseError):
        batch.run()
    assert get_client().get(f"{key_prefix}b") == "written"


def test_a_long_batch_is_sent_in_parts(key_prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each within the time that a command may take; the answers are those of one."""
    monkeypatch.setattr(scripts, "MOST_ARGUMENTS", 10)
    batch = Batch(get_client())
    for number in range(7):
        batch.add("RPUSH", f"{key_prefix}list", *range(number + 1))
    get_client().ping()
    with counting_round_trips() as trips:
        assert batch.run() == [1, 3, 6, 10, 15, 21, 28]
    assert len(trips) == 6
