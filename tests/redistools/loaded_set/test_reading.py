"""What readers are told of a loaded set, on one server and on a cluster."""

from contextlib import closing
from functools import partial

import pytest
from pytest_django import Settings

from redistools import loaded_set
from redistools.client import Client, connect
from redistools.loaded_set import End, IdPage, Loaded, LoadFailed, Range, Scored
from redistools.scripts import Script
from tests.redistools.loaded_set.sets import everything, fill, is_whole, never, rows
from tests.round_trips import counting_round_trips

look_up = Script(__file__, "look_up")


def test_a_set_without_key_is_unknown(client: Client, key: str) -> None:
    assert everything(client, key) is None
    assert loaded_set.known(client, [key]) == []
    assert loaded_set.highest(client, [key], 1) == [None]
    assert not is_whole(client, key)


def test_a_loaded_set_is_whole(client: Client, key: str) -> None:
    fill(client, key, 5, 7, 6)
    assert everything(client, key) == IdPage([7, 6, 5], floor=0)
    assert loaded_set.known(client, [key]) == [key]
    assert is_whole(client, key)
    assert loaded_set.members(client, key) == [5, 6, 7]


def test_an_empty_set_is_known_to_be_empty(client: Client, key: str) -> None:
    fill(client, key)
    assert everything(client, key) == IdPage([], floor=0)
    assert loaded_set.known(client, [key]) == [key]
    assert loaded_set.highest(client, [key], 3) == [[]]
    assert loaded_set.members(client, key) == []


def test_a_set_that_lost_its_end_is_whole_down_to_its_lowest(client: Client, key: str) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    assert everything(client, key) == IdPage([7, 6, 5], floor=5)
    assert loaded_set.known(client, [key]) == [key]
    assert not is_whole(client, key)


def test_a_page_by_scores_says_where_it_ends(client: Client, key: str, other: str) -> None:
    """Members and scores differ: which statuses somebody liked, by the ids of the likes."""
    pairs = {7: 2**52 + 1, 9: 2**52 + 2, 8: 2**52 + 3}
    newest_first = [(8, 2**52 + 3), (9, 2**52 + 2), (7, 2**52 + 1)]
    load = partial(loaded_set.load, client, key, lambda: Loaded(pairs))
    found = loaded_set.scored_page(client, key, load, below=None, limit=9)
    assert found == Scored(newest_first, floor=0)
    page = partial(loaded_set.scored_page, client, key, never)
    assert page(below=None, limit=9) == Scored(newest_first, floor=0)
    assert page(below=None, limit=2) == Scored(newest_first[:2], floor=0)
    assert page(below=2**52 + 3, limit=1) == Scored(newest_first[1:2], floor=0)
    assert page(below=2**52 + 1, limit=9) == Scored([], floor=0)
    loaded_set.load(client, other, lambda: Loaded(pairs, whole=False))
    trimmed = loaded_set.scored_page(client, other, never, below=None, limit=9)
    assert trimmed == Scored(newest_first, floor=2**52 + 1)


def test_marks_are_no_members(client: Client, key: str) -> None:
    seen = []

    def read() -> Loaded:
        seen.append(loaded_set.members(client, key))
        return rows(5)

    loaded_set.load(client, key, read)
    assert seen == [[]]
    assert loaded_set.members(client, key) == [5]


def test_only_what_is_known_has_contents(client: Client, key: str, other: str) -> None:
    fill(client, key, 5, 6, whole=False)
    seen = []

    def read() -> Loaded:
        seen.append(loaded_set.contents(client, [key, other]))
        return rows(4)

    loaded_set.load(client, other, read)
    assert seen == [{key: rows(5, 6, whole=False)}]
    assert loaded_set.contents(client, [key, other])[other] == rows(4)


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
    assert loaded_set.page(client, key, wanted, never) == IdPage(ids, floor=0)


@pytest.mark.parametrize("end", ["newest", "oldest"])
def test_a_page_says_below_what_only_sql_knows(client: Client, key: str, end: End) -> None:
    fill(client, key, 5, 6, 7, whole=False)
    assert loaded_set.page(client, key, Range(below=7, end=end), never) == IdPage([6, 5], floor=5)
    assert loaded_set.page(client, key, Range(below=5, end=end), never) == IdPage([], floor=5)


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
    with pytest.raises(LoadFailed, match="kept vanishing"):
        loaded_set.read(client, [key], [], lambda _keys: None)


@pytest.mark.parametrize("other_size", [0, 5, 200, 300])
@pytest.mark.parametrize("size", [0, 5, 200, 300])
@pytest.mark.parametrize("wanted", [3, 40])
def test_members_are_found_in_sets_of_any_size(
    client: Client, key: str, other: str, size: int, other_size: int, wanted: int
) -> None:
    """Compact or not, and whichever of two is the smaller."""
    ones, others = (
        {2 * it for it in range(1, size + 1)},
        {3 * it for it in range(1, other_size + 1)},
    )
    fill(client, key, *ones)
    fill(client, other, *others, whole=not others)
    asked = range(1, wanted + 1)
    found, shared = look_up(client, [key, other], [*asked])
    assert found == [int(it in ones) for it in asked]
    assert sorted(map(int, shared)) == sorted(ones & others)
