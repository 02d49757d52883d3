"""The one pager, over numbers of which some are hidden."""

from collections.abc import Callable

import pytest

from web.pager import MOST_AT_ONCE, ROUNDS, Step, page, past_hidden, rest_after

Read = Callable[[int | None, int], Step[list[int], int]]


class Rows:
    """Counts down from the highest; remembers how much was asked for."""

    def __init__(self, highest: int) -> None:
        self._highest = highest
        self.asked: list[int] = []

    def __call__(self, below: int | None, limit: int) -> Step[list[int], int]:
        self.asked.append(limit)
        first = self._highest if below is None else below - 1
        found = list(range(first, max(0, first - limit), -1))
        return Step(found, rest_after(found, limit))


def even(numbers: list[int]) -> list[int]:
    return [it for it in numbers if it % 2 == 0]


def none(_numbers: list[int]) -> list[int]:
    return []


def itself(number: int) -> int:
    return number


def walk(read: Read, keep: Callable[[list[int]], list[int]], size: int) -> list[list[int]]:
    pages, cursor = [], None
    while True:
        rows, cursor = page(read, keep, cursor, size=size, cursor_of=itself)
        pages.append(rows)
        if cursor is None:
            return pages


@pytest.mark.parametrize("size", [1, 3, 7, 50, 51, 200])
def test_pages_are_full_and_have_neither_gaps_nor_repeats(size: int) -> None:
    pages = walk(Rows(101), even, size)
    assert [number for some in pages for number in some] == list(range(100, 0, -2))
    assert all(len(some) == size for some in pages[:-1])
    assert pages[-1], "the last page is never empty"


def test_where_nothing_is_hidden_one_read_is_enough() -> None:
    rows = Rows(100)
    assert page(rows, list, None, size=10, cursor_of=itself) == (list(range(100, 90, -1)), 91)
    assert rows.asked == [11]


def test_each_read_is_longer_until_it_is_long_enough() -> None:
    rows = Rows(10**6)
    found, rest = past_hidden(rows, none, None, limit=10)
    assert (found, rest) == ([], 10**6 - sum(rows.asked) + 1), "the next page goes on there"
    assert rows.asked[:4] == [10, 20, 60, 180]
    assert rows.asked[4:] == [MOST_AT_ONCE] * (ROUNDS - 4)


def test_after_the_last_row_there_is_no_other_page() -> None:
    assert page(Rows(5), list, None, size=5, cursor_of=itself) == ([5, 4, 3, 2, 1], None)
    assert page(Rows(0), list, None, size=5, cursor_of=itself) == ([], None)
