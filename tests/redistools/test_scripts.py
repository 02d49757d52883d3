import pytest
from redis.exceptions import ResponseError

from redistools.client import get_client
from redistools.scripts import Batch


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
