"""How long a set lives, on one server and on a cluster."""

from collections.abc import Callable

import pytest

from redistools import loaded_set
from redistools.client import Client
from redistools.loaded_set import Range
from redistools.loaded_set.values import LIFETIME
from redistools.scripts import Batch
from tests.redistools.loaded_set.sets import fill, never, rows


def test_a_set_lives_for_a_month_or_for_ever(client: Client, key: str, other: str) -> None:
    loaded_set.load(client, key, rows)
    loaded_set.load(client, other, rows, for_ever=True)
    assert LIFETIME - 60 < client.ttl(key) <= LIFETIME
    assert client.ttl(other) == -1


READERS: list[Callable[[Client, str], object]] = [
    lambda client, key: loaded_set.page(client, key, Range(), never),
    lambda client, key: loaded_set.scored_page(client, key, never, below=None, limit=5),
    lambda client, key: loaded_set.highest(client, [key], 5),
    lambda client, key: loaded_set.known(client, [key]),
    lambda client, key: loaded_set.read(client, [key], [], lambda _unknown: never()),
]


@pytest.mark.parametrize("read", READERS)
def test_a_set_that_is_read_lives_on(
    client: Client, key: str, read: Callable[[Client, str], object]
) -> None:
    fill(client, key, 1, 2, 3)
    client.expire(key, LIFETIME // 2 + 100)
    read(client, key)
    assert client.ttl(key) <= LIFETIME // 2 + 100, "not a write for every read"
    client.expire(key, LIFETIME // 2 - 100)
    read(client, key)
    assert client.ttl(key) > LIFETIME - 60


@pytest.mark.parametrize("read", READERS)
def test_a_set_without_an_end_gets_none_by_being_read(
    client: Client, key: str, read: Callable[[Client, str], object]
) -> None:
    loaded_set.load(client, key, rows, for_ever=True)
    read(client, key)
    assert client.ttl(key) == -1


def test_a_set_that_is_only_written_to_expires(client: Client, key: str, other: str) -> None:
    fill(client, key, 1, 2, 3)
    client.expire(key, 100)
    batch = Batch(client)
    loaded_set.put(batch, key, 4, 4, cap=10)
    loaded_set.drop(batch, key, [1])
    loaded_set.write_pair(batch, (key, 5), (other, 5), score=5)
    batch.run()
    assert loaded_set.contents(client, [key])[key].scores.keys() == {2, 3, 4, 5}
    assert 0 < client.ttl(key) <= 100
    assert not client.exists(other)
