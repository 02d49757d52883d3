"""Loaded sets, on one server and on a cluster. A dictionary stands in for SQL."""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from functools import partial

import pytest
from pytest_django import Settings

from redistools import loaded_set
from redistools.client import Client, connect
from redistools.loaded_set import End, Loaded, LoadFailed, Range, Slice
from redistools.scripts import Batch
from tests.races import in_threads
from tests.round_trips import counting_round_trips

EVERYTHING = Range(limit=1_000)
NO_CAP = 1_000


@pytest.fixture(params=["server", "cluster"])
def client(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Client]:
    is_cluster = request.param == "cluster"
    url = request.getfixturevalue("redis_cluster_url") if is_cluster else settings.REDIS_URL
    with closing(connect(url)) as client:
        yield client


@pytest.fixture
def key(key_prefix: str) -> str:
    return f"{key_prefix}set:{{1}}:a"


@pytest.fixture
def other(key_prefix: str) -> str:
    """In the slot of `key`."""
    return f"{key_prefix}set:{{1}}:b"


@pytest.fixture
def scattered(key_prefix: str) -> list[str]:
    """Keys on all nodes of a cluster."""
    return [f"{key_prefix}set:{{{number}}}:c" for number in range(9)]


def rows(*ids: int, whole: bool = True) -> Loaded:
    """Members that are their own scores."""
    return Loaded(dict(zip(ids, ids, strict=True)), whole=whole)


def fill(client: Client, key: str, *ids: int, whole: bool = True) -> None:
    loaded_set.load(client, key, partial(rows, *ids, whole=whole))


def everything(client: Client, key: str) -> Slice | None:
    return loaded_set.page(client, key, EVERYTHING)


def put(client: Client, key: str, *ids: int, cap: int = NO_CAP) -> None:
    batch = Batch(client)
    for member in ids:
        loaded_set.put(batch, key, member, member, cap=cap)
    batch.run()


def drop(client: Client, key: str, *ids: int) -> None:
    batch = Batch(client)
    loaded_set.drop(batch, key, ids)
    batch.run()


def write_pair(client: Client, key: str, other: str, member: int, *, score: int | None) -> None:
    batch = Batch(client)
    loaded_set.write_pair(batch, (key, member), (other, member), score=score)
    batch.run()


def put_both(client: Client, key: str, other: str, member: int) -> None:
    write_pair(client, key, other, member, score=member)


def drop_both(client: Client, key: str, other: str, member: int) -> None:
    write_pair(client, key, other, member, score=None)


def is_whole(client: Client, key: str) -> bool:
    held = loaded_set.contents(client, [key]).get(key)
    return held is not None and held.whole


def never() -> Loaded:
    raise AssertionError("SQL was read")


class Sql:
    """Returns the answers in turn; before each but the last, something happens in Redis."""

    def __init__(self, *answers: Loaded, meanwhile: Callable[[], object]) -> None:
        self.answers = list(answers)
        self._meanwhile = meanwhile

    def __call__(self) -> Loaded:
        answer = self.answers.pop(0)
        if self.answers:
            self._meanwhile()
        return answer


def test_a_set_without_key_is_unknown(client: Client, key: str) -> None:
    assert everything(client, key) is None
    assert loaded_set.known(client, [key]) == []
    assert loaded_set.highest(client, [key], 1) == [None]
    assert not is_whole(client, key)


def test_a_loaded_set_is_whole(client: Client, key: str) -> None:
    fill(client, key, 5, 7, 6)
    assert everything(client, key) == Slice([7, 6, 5], floor=0)
    assert loaded_set.known(client, [key]) == [key]
    assert is_whole(client, key)
    assert loaded_set.members(client, key) == [5, 6, 7]


def test_an_empty_set_is_known_to_be_empty(client: Client, key: str) -> None:
    fill(client, key)
    assert everything(client, key) == Slice([], floor=0)
    assert loaded_set.known(client, [key]) == [key]
    assert loaded_set.highest(client, [key], 3) == [[]]
    assert loaded_set.members(client, key) == []


def test_a_set_that_lost_its_end_is_whole_down_to_its_lowest(client: Client, key: str) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    assert everything(client, key) == Slice([7, 6, 5], floor=5)
    assert loaded_set.known(client, [key]) == [key]
    assert not is_whole(client, key)


@pytest.mark.parametrize("again", [False, True], ids=["unknown", "read again"])
def test_nobody_trusts_a_set_that_is_being_loaded(client: Client, key: str, again: bool) -> None:
    if again:
        fill(client, key, 4)
    seen: list[object] = []

    def read() -> Loaded:
        seen.append(everything(client, key))
        seen.extend(loaded_set.highest(client, [key], 1))
        seen.append(loaded_set.known(client, [key]))
        return rows(4, 5)

    loaded_set.load(client, key, read, again=again)
    assert seen == [None, None, []]
    assert everything(client, key) == Slice([5, 4], floor=0)


def test_marks_are_no_members(client: Client, key: str) -> None:
    fill(client, key, 5)
    seen = []

    def read() -> Loaded:
        seen.append(loaded_set.members(client, key))
        return rows(5)

    loaded_set.load(client, key, read, again=True)
    assert seen == [[5]]


def test_only_what_is_known_has_contents(client: Client, key: str, other: str) -> None:
    fill(client, key, 5, 6, whole=False)
    seen = []

    def read() -> Loaded:
        seen.append(loaded_set.contents(client, [key, other]))
        return rows(4)

    loaded_set.load(client, other, read)
    assert seen == [{key: rows(5, 6, whole=False)}]
    assert loaded_set.contents(client, [key, other])[other] == rows(4)


def test_a_set_that_is_ready_is_not_read_from_sql(client: Client, key: str) -> None:
    fill(client, key, 5)
    loaded_set.load(client, key, never)
    assert everything(client, key) == Slice([5], floor=0)


def test_a_set_that_is_read_again_keeps_what_it_has(client: Client, key: str) -> None:
    fill(client, key, 5, 6, whole=False)
    loaded_set.load(client, key, partial(rows, 4, 5), again=True)
    assert everything(client, key) == Slice([6, 5, 4], floor=0)
    loaded_set.load(client, key, partial(rows, 5, 7, whole=False), again=True)
    assert everything(client, key) == Slice([7, 6, 5], floor=5), "it says where SQL was left"


def test_what_another_has_read_again_meanwhile_is_not_read_once_more(
    client: Client, key: str
) -> None:
    fill(client, key, 5)
    read_again = partial(loaded_set.load, client, key, partial(rows, 5, 6), again=True)
    sql = Sql(rows(5), rows(5), meanwhile=read_again)
    loaded_set.load(client, key, sql, again=True)
    assert len(sql.answers) == 1, "SQL was read once"
    assert everything(client, key) == Slice([6, 5], floor=0)


@pytest.mark.parametrize("part", [1, 2, 5, 6])
def test_a_set_comes_in_parts(
    client: Client, key: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_set, "PART", part)
    fill(client, key, 1, 2, 3, 4, 5)
    assert everything(client, key) == Slice([5, 4, 3, 2, 1], floor=0)


def test_a_lifetime_is_given_to_a_set_that_asks_for_one(
    client: Client, key: str, other: str
) -> None:
    loaded_set.load(client, key, rows, ttl=100)
    loaded_set.load(client, other, rows)
    assert 0 < client.ttl(key) <= 100
    assert client.ttl(other) == -1


@pytest.mark.parametrize("part", [500, 1], ids=["one part", "parts"])
@pytest.mark.parametrize("how", ["drop", "pair"])
def test_a_removal_during_a_load_starts_it_over(
    client: Client, key: str, other: str, how: str, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_set, "PART", part)
    removal: Callable[[], None] = partial(drop, client, key, 6)
    if how == "pair":
        removal = partial(drop_both, client, key, other, 6)
    sql = Sql(rows(5, 6), rows(5), meanwhile=removal)
    loaded_set.load(client, key, sql)
    assert sql.answers == [], "SQL was read twice"
    assert everything(client, key) == Slice([5], floor=0)


@pytest.mark.parametrize("how", ["put", "pair"])
def test_an_addition_during_a_load_is_kept(client: Client, key: str, other: str, how: str) -> None:
    addition: Callable[[], None] = partial(put, client, key, 7)
    if how == "pair":
        addition = partial(put_both, client, key, other, 7)
    sql = Sql(rows(5, 6), rows(), meanwhile=addition)
    loaded_set.load(client, key, sql)
    assert len(sql.answers) == 1, "SQL was read once"
    assert everything(client, key) == Slice([7, 6, 5], floor=0)


def test_what_is_put_below_the_floor_during_a_load_is_left_to_sql(client: Client, key: str) -> None:
    """Between it and the floor SQL has more."""
    sql = Sql(rows(5, 6, whole=False), rows(), meanwhile=partial(put, client, key, 2, 7))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == Slice([7, 6, 5], floor=5)


def test_a_load_that_was_given_up_is_finished_by_the_next(client: Client, key: str) -> None:
    with pytest.raises(AssertionError, match="SQL was read"):
        loaded_set.load(client, key, never)
    put(client, key, 7)
    assert everything(client, key) is None
    fill(client, key, 5)
    assert everything(client, key) == Slice([7, 5], floor=0)


def test_a_load_of_a_set_that_vanished_meanwhile_starts_over(client: Client, key: str) -> None:
    sql = Sql(rows(5, 6), rows(5), meanwhile=lambda: client.unlink(key))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == Slice([5], floor=0)


def test_an_old_load_does_not_pass_for_the_one_that_came_after_it(client: Client, key: str) -> None:
    """The set was forgotten, so the removal had nothing to mark; then another began to load it."""

    def lose_remove_and_load_again() -> None:
        client.unlink(key)
        drop(client, key, 6)
        with pytest.raises(AssertionError, match="SQL was read"):
            loaded_set.load(client, key, never)

    sql = Sql(rows(5, 6), rows(5), meanwhile=lose_remove_and_load_again)
    loaded_set.load(client, key, sql)
    assert everything(client, key) == Slice([5], floor=0)


def test_a_set_that_changes_each_time_can_not_be_loaded(client: Client, key: str) -> None:
    attempts = iter(range(100))

    def read_and_remove() -> Loaded:
        next(attempts)
        drop(client, key, 6)
        return rows(5, 6)

    with pytest.raises(LoadFailed, match="changed during each of 20 attempts") as failed:
        loaded_set.load(client, key, read_and_remove)
    assert key in str(failed.value)
    assert next(attempts) == loaded_set.ATTEMPTS
    assert everything(client, key) is None, "nobody trusts it"
    fill(client, key, 5)
    assert everything(client, key) == Slice([5], floor=0)


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
    assert [everything(client, key) for key in unknown] == [Slice([6, 5], floor=0)] * 8
    assert everything(client, ready) == Slice([1], floor=0)


def test_loaders_writers_and_losses_at_once_end_as_sql_says(
    client: Client, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_set, "ATTEMPTS", 10_000)
    monkeypatch.setattr(loaded_set, "PART", 7)
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
    assert everything(client, key) == Slice([6, 5], floor=0)


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
    assert everything(client, sides[known]) == Slice([6, 5], floor=0)
    drop_both(client, key, other, 5)
    assert everything(client, sides[known]) == Slice([6], floor=0)
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
    monkeypatch.setattr(loaded_set, "SLACK", 2)
    fill(client, key)
    put(client, key, 1, 2, 3, 4, cap=3)
    assert everything(client, key) == Slice([4, 3, 2, 1], floor=0)
    put(client, key, 5, cap=3)
    assert everything(client, key) == Slice([5, 4, 3], floor=3)
    assert not is_whole(client, key)


def test_a_set_that_is_being_loaded_is_not_trimmed(
    client: Client, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loaded_set, "SLACK", 0)
    sql = Sql(rows(1), rows(), meanwhile=partial(put, client, key, 5, 6, 7, cap=2))
    loaded_set.load(client, key, sql)
    assert everything(client, key) == Slice([7, 6, 5, 1], floor=0)
    put(client, key, 8, cap=2)
    assert everything(client, key) == Slice([8, 7], floor=7)


def test_a_trimmed_set_never_grows_below_its_floor(client: Client, key: str) -> None:
    fill(client, key, 5, 6, whole=False)
    put(client, key, 3, 5, 7)
    assert everything(client, key) == Slice([7, 6, 5], floor=5)


def test_the_floor_rises_with_the_lowest_member(client: Client, key: str) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    drop(client, key, 5)
    assert everything(client, key) == Slice([7, 6], floor=6)
    drop(client, key, 6, 7)
    assert everything(client, key) is None, "it may have more in SQL"


def test_a_whole_set_that_loses_its_last_member_stays_whole(client: Client, key: str) -> None:
    fill(client, key, 5)
    drop(client, key, 5)
    assert everything(client, key) == Slice([], floor=0)


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (Range(limit=3), [9, 8, 7]),
        (Range(limit=3, end="oldest"), [3, 2, 1]),
        (Range(below=8, limit=3), [7, 6, 5]),
        (Range(below=8, limit=3, end="oldest"), [3, 2, 1]),
        (Range(above=2, limit=3), [9, 8, 7]),
        (Range(above=2, limit=3, end="oldest"), [5, 4, 3]),
        (Range(above=2, below=5, limit=3), [4, 3]),
        (Range(above=2, below=5, limit=3, end="oldest"), [4, 3]),
        (Range(above=4, below=5), []),
        (Range(above=9), []),
        (Range(below=1), []),
    ],
)
def test_a_page_is_taken_from_either_end(
    client: Client, key: str, wanted: Range, ids: list[int]
) -> None:
    fill(client, key, *range(1, 10))
    assert loaded_set.page(client, key, wanted) == Slice(ids, floor=0)


@pytest.mark.parametrize("end", ["newest", "oldest"])
def test_a_page_says_below_what_only_sql_knows(client: Client, key: str, end: End) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    assert loaded_set.page(client, key, Range(below=7, end=end)) == Slice([6, 5], floor=5)
    assert loaded_set.page(client, key, Range(below=5, end=end)) == Slice([], floor=5)


def test_the_highest_of_many_and_who_does_not_reach_that_far(
    client: Client, scattered: list[str]
) -> None:
    whole, trimmed, long_enough, unknown = scattered[:4]
    fill(client, whole, 1, 2)
    fill(client, trimmed, 5, 6, whole=False)
    fill(client, long_enough, 5, 6, 7, 8, whole=False)
    found = loaded_set.highest(client, [whole, trimmed, long_enough, unknown], 3)
    assert found == [[2, 1], None, [8, 7, 6], None]


def test_a_read_loads_what_is_unknown_and_asks_again(client: Client, scattered: list[str]) -> None:
    ready, *unknown = scattered[:3]
    fill(client, ready, 1)
    loaded = []

    def load(keys: list[str]) -> None:
        loaded.append(keys)
        for key in keys:
            fill(client, key, 5, 6)

    counts = [("ZCARD", key) for key in scattered[:3]]
    assert loaded_set.read(client, scattered[:3], counts, load) == [2, 3, 3]
    assert loaded == [sorted(unknown)]


def test_a_read_of_what_is_known_is_one_round_trip(key: str, settings: Settings) -> None:
    with closing(connect(settings.REDIS_URL)) as client:
        fill(client, key, 5, 6)
        with counting_round_trips() as trips:
            answers = loaded_set.read(client, [key], [("ZCARD", key)], lambda _keys: never())
    assert (answers, len(trips)) == ([3], 1)


def test_what_vanishes_after_each_load_can_not_be_read(client: Client, key: str) -> None:
    with pytest.raises(LoadFailed, match="keep vanishing"):
        loaded_set.read(client, [key], [], lambda _keys: None)
