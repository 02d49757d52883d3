"""What writers change in a loaded set, and what they leave alone."""

from collections.abc import Callable
from functools import partial

import pytest

from redistools import loaded_set
from redistools.client import Client
from redistools.loaded_set import IdPage, writing
from redistools.scripts import Batch
from tests.redistools.loaded_set.sets import (
    Sql,
    drop,
    drop_both,
    everything,
    fill,
    is_whole,
    put,
    put_both,
    rows,
)


@pytest.mark.parametrize("write", [put, drop])
def test_writers_leave_an_unknown_set_alone(
    client: Client, key: str, write: Callable[[Client, str, int], None]
) -> None:
    write(client, key, 5)
    assert client.exists(key) == 0


@pytest.mark.parametrize("write", [put_both, drop_both])
def test_a_pair_leaves_unknown_sets_alone(
    client: Client, key: str, other: str, write: Callable[[Client, str, str, int], None]
) -> None:
    write(client, key, other, 5)
    assert client.exists(key) + client.exists(other) == 0


@pytest.mark.parametrize("known", [0, 1], ids=["first", "second"])
def test_a_pair_writes_the_side_that_is_known(
    client: Client, key: str, other: str, known: int
) -> None:
    sides = (key, other)
    fill(client, sides[known], 5)
    put_both(client, key, other, 6)
    assert everything(client, sides[known]) == IdPage([6, 5], floor=0)
    drop_both(client, key, other, 5)
    assert everything(client, sides[known]) == IdPage([6], floor=0)
    assert client.exists(sides[1 - known]) == 0


def test_each_side_of_a_pair_has_a_member_of_its_own(client: Client, key: str, other: str) -> None:
    fill(client, key)
    fill(client, other)
    batch = Batch(client)
    loaded_set.write_pair(batch, (key, 3), (other, 4), score=77)
    batch.run()
    assert client.zrange(key, 0, -1, withscores=True) == [("0", 0), ("3", 77)]
    assert client.zrange(other, 0, -1, withscores=True) == [("0", 0), ("4", 77)]


def test_a_set_is_trimmed_to_its_highest_once_it_is_well_above_its_cap(
    client: Client, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "SLACK", 2)
    fill(client, key)
    put(client, key, 1, 2, 3, 4, cap=3)
    assert everything(client, key) == IdPage([4, 3, 2, 1], floor=0)
    put(client, key, 5, cap=3)
    assert everything(client, key) == IdPage([5, 4, 3], floor=3)
    assert not is_whole(client, key)


def test_a_set_that_is_being_loaded_is_not_trimmed(
    client: Client, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "SLACK", 0)
    sql = Sql(rows(1), rows(), meanwhile=partial(put, client, key, 5, 6, 7, cap=2))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == IdPage([7, 6, 5, 1], floor=0)
    put(client, key, 8, cap=2)
    assert everything(client, key) == IdPage([8, 7], floor=7)


def test_a_trimmed_set_never_grows_below_its_floor(client: Client, key: str) -> None:
    fill(client, key, 5, 6, whole=False)
    put(client, key, 3, 5, 7)
    assert everything(client, key) == IdPage([7, 6, 5], floor=5)


def test_the_floor_rises_with_the_lowest_member(client: Client, key: str) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    drop(client, key, 5)
    assert everything(client, key) == IdPage([7, 6], floor=6)
    drop(client, key, 6, 7)
    assert everything(client, key) is None, "it may have more in SQL"


def test_a_whole_set_that_loses_its_last_member_stays_whole(client: Client, key: str) -> None:
    fill(client, key, 5)
    drop(client, key, 5)
    assert everything(client, key) == IdPage([], floor=0)
