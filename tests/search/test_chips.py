"""A query in plain words, and what a query that can't be read may have meant."""

import pytest
from hypothesis import given

from search.query.mending import mended
from search.query.parsing import parse
from search.query.syntax import BadQuery, Query
from search.showing.chips import chips_of, without
from tests.search.test_query import TYPED


def says(query: str) -> list[str]:
    return [it.says for it in chips_of(parse(query))]


def test_each_part_is_said_in_plain_words() -> None:
    typed = '"first frost" from:rosa OR from:me -market -has:link since:2026-01-01 lang:zh tea'
    assert says(typed) == [
        "exactly first frost",
        "by @rosa or by you",
        "without market",
        "not with a link",
        "since 1 January 2026",
        "in 中文",
        "tea",
    ]


def test_all_filters_have_words() -> None:
    typed = "to:bob until:2026-02-01 min_likes:10 filter:follows in:bookmarks has:media"
    assert says(typed) == [
        "in reply to @bob",
        "before 1 February 2026",
        "with at least 10 likes",
        "by people you follow",
        "among your bookmarks",
        "with pictures",
    ]


def test_a_single_word_has_no_chip() -> None:
    assert chips_of(parse("tea")) == []
    assert says("first frost") == ["first", "frost"]
    assert says("#tea from:bob") == ["#tea", "by @bob"]


def test_what_was_typed_is_escaped() -> None:
    (chip,) = chips_of(parse('"<b>&"'))
    assert chip.html == "exactly <b><bdi>&lt;b&gt;&amp;</bdi></b>"


@given(typed=TYPED)
def test_a_chip_leads_to_the_query_without_it(typed: str) -> None:
    try:
        query = parse(typed)
    except BadQuery:
        return
    for at, chip in enumerate(chips_of(query)):
        assert parse(chip.rest) == without(query, at)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('snow "first frost', 'snow "first frost"'),
        ("OR tea", "tea"),
        ("tea OR", "tea"),
        ("OR", "or"),
        ("tea OR OR milk", "tea OR milk"),
        ("tea OR -milk", "tea OR milk"),
        ("tea since:2026-1-2", "tea since:2026-01-02"),
        ("tea since:2026-13-02", "tea"),
        ("tea OR since:2026-01-02", "tea"),
        ("from:", None),
        ("tea from:", "tea"),
    ],
)
def test_a_bad_query_is_mended_where_that_is_obvious(typed: str, expected: str | None) -> None:
    with pytest.raises(BadQuery) as refused:
        parse(typed)
    assert mended(typed, refused.value) == expected


@given(typed=TYPED)
def test_a_mended_query_can_be_read(typed: str) -> None:
    try:
        parse(typed)
    except BadQuery as error:
        found = mended(typed, error)
        assert found is None or parse(found) != Query(())
