"""How a set comes from SQL while others read and write, on one server and on a cluster."""

import threading
from collections.abc import Callable, Collection
from functools import partial

import pytest

from redistools import loaded_set
from redistools.client import Client
from redistools.loaded_set import IdPage, Loaded, LoadFailed, loading
from tests.races import in_threads
from tests.redistools.loaded_set.sets import (
    Sql,
    drop,
    drop_both,
    everything,
    fill,
    never,
    put,
    put_both,
    rows,
)


def test_nobody_trusts_a_set_that_is_being_loaded(client: Client, key: str) -> None:
    seen: list[object] = []

    def read() -> Loaded:
        seen.append(everything(client, key))
        seen.extend(loaded_set.highest(client, [key], 1))
        seen.append(loaded_set.known(client, [key]))
        return rows(4, 5)

    loaded_set.load(client, key, read)
    assert seen == [None, None, []]
    assert everything(client, key) == IdPage([5, 4], floor=0)


def test_a_set_that_is_ready_is_not_read_from_sql(client: Client, key: str) -> None:
    fill(client, key, 5)
    loaded_set.load(client, key, never)
    assert everything(client, key) == IdPage([5], floor=0)


@pytest.mark.parametrize("part", [1, 2, 5, 6])
def test_a_set_comes_in_parts(
    client: Client, key: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PART", part)
    fill(client, key, 1, 2, 3, 4, 5)
    assert everything(client, key) == IdPage([5, 4, 3, 2, 1], floor=0)


@pytest.mark.parametrize("part", [500, 1], ids=["one part", "parts"])
@pytest.mark.parametrize("how", ["drop", "pair"])
def test_a_removal_during_a_load_starts_it_over(
    client: Client, key: str, other: str, how: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PART", part)
    removal: Callable[[], None] = partial(drop, client, key, 6)
    if how == "pair":
        removal = partial(drop_both, client, key, other, 6)
    sql = Sql(rows(5, 6), rows(5), meanwhile=removal)
    loaded_set.load(client, key, sql)
    assert sql.answers == [], "SQL was read twice"
    assert everything(client, key) == IdPage([5], floor=0)


@pytest.mark.parametrize("how", ["put", "pair"])
def test_an_addition_during_a_load_is_kept(client: Client, key: str, other: str, how: str) -> None:
    addition: Callable[[], None] = partial(put, client, key, 7)
    if how == "pair":
        addition = partial(put_both, client, key, other, 7)
    sql = Sql(rows(5, 6), rows(), meanwhile=addition)
    loaded_set.load(client, key, sql)
    assert len(sql.answers) == 1, "SQL was read once"
    assert everything(client, key) == IdPage([7, 6, 5], floor=0)


def test_what_is_put_below_the_floor_during_a_load_is_left_to_sql(client: Client, key: str) -> None:
    """Between it and the floor SQL has more."""
    sql = Sql(rows(5, 6, whole=False), rows(), meanwhile=partial(put, client, key, 2, 7))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == IdPage([7, 6, 5], floor=5)


def test_a_load_that_was_given_up_is_finished_by_the_next(client: Client, key: str) -> None:
    with pytest.raises(AssertionError, match="SQL was read"):
        loaded_set.load(client, key, never)
    put(client, key, 7)
    assert everything(client, key) is None
    fill(client, key, 5)
    assert everything(client, key) == IdPage([7, 5], floor=0)


def test_a_load_of_a_set_that_vanished_meanwhile_starts_over(client: Client, key: str) -> None:
    sql = Sql(rows(5, 6), rows(5), meanwhile=lambda: client.unlink(key))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == IdPage([5], floor=0)


def test_an_old_load_does_not_pass_for_the_one_that_came_after_it(client: Client, key: str) -> None:
    """The set was forgotten, so the removal had nothing to mark; then another began to load it."""

    def lose_remove_and_load_again() -> None:
        client.unlink(key)
        drop(client, key, 6)
        with pytest.raises(AssertionError, match="SQL was read"):
            loaded_set.load(client, key, never)

    sql = Sql(rows(5, 6), rows(5), meanwhile=lose_remove_and_load_again)
    loaded_set.load(client, key, sql)
    assert everything(client, key) == IdPage([5], floor=0)


def test_a_set_that_changes_each_time_can_not_be_loaded(client: Client, key: str) -> None:
    attempts = iter(range(100))

    def read_and_remove() -> Loaded:
        next(attempts)
        drop(client, key, 6)
        return rows(5, 6)

    with pytest.raises(LoadFailed, match="changed during each of 20 attempts") as failed:
        loaded_set.load(client, key, read_and_remove)
    assert key in str(failed.value)
    assert next(attempts) == loading.ATTEMPTS
    assert everything(client, key) is None, "nobody trusts it"
    fill(client, key, 5)
    assert everything(client, key) == IdPage([5], floor=0)


def test_many_are_loaded_by_one_query_and_only_those_that_need_it(
    client: Client, scattered: list[str]
) -> None:
    ready, *unknown = scattered
    fill(client, ready, 1)
    asked = []

    def read(wanted: Collection[str]) -> dict[str, Loaded]:
        asked.append(sorted(wanted))
        if len(asked) == 1:
            drop(client, unknown[0], 7)
        return {key: rows(5, 6) for key in wanted}

    loaded_set.load_many(client, scattered, read)
    assert asked == [sorted(unknown), unknown[:1]], "one of them starts over, alone"
    assert [everything(client, key) for key in unknown] == [IdPage([6, 5], floor=0)] * 8
    assert everything(client, ready) == IdPage([1], floor=0)


def test_loaders_writers_and_losses_at_once_end_as_sql_says(
    client: Client, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "ATTEMPTS", 10_000)
    monkeypatch.setattr(loading, "PART", 7)
    sql, numbers = set(range(1, 101)), iter(range(8))

    def load_and_lose() -> None:
        for _ in range(10):
            loaded_set.load(client, key, lambda: rows(*sorted(sql)))
            client.unlink(key)

    def write(first: int) -> None:
        """Like a service: first SQL, then Redis."""
        for member in range(first, 101, 4):
            sql.remove(member)
            drop(client, key, member)
            sql.add(1_000 + member)
            put(client, key, 1_000 + member)

    def work() -> None:
        number = next(numbers)
        if number < 4:
            load_and_lose()
        else:
            write(number - 3)

    in_threads(8, work)
    loaded_set.load(client, key, lambda: rows(*sorted(sql)))
    assert loaded_set.members(client, key) == list(range(1_001, 1_101))


def test_many_who_load_the_same_set_end_with_one_that_is_whole(client: Client, key: str) -> None:
    together = threading.Barrier(8)

    def read() -> Loaded:
        together.wait(10)
        return rows(5, 6)

    # A load that starts over would wait for the others in vain.
    in_threads(8, loaded_set.load, client, key, read)
    assert everything(client, key) == IdPage([6, 5], floor=0)
