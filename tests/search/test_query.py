"""The language of searches: what is read, and what is refused at which place."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.query.parsing import MOST_PARTS, parse
from search.query.syntax import BadQuery, Clause, Filter, Query, Words


def wide(text: str) -> str:
    """As Chinese and Japanese keyboards have it."""
    return "".join("\N{IDEOGRAPHIC SPACE}" if it == " " else chr(ord(it) + 0xFEE0) for it in text)


PIECES = st.sampled_from(
    [
        *'-"“”„ :@#',
        *("OR", " OR ", " ", "\t", "\x1c", wide(" "), wide("from:me"), wide("API")),
        *("from:", "to:bob", "lang:pt-BR", "has:link", "since:2026-01-31", "until:0001-01-01"),
        *("min_likes:3", "in:bookmarks", "filter:follows", "http://x.example:80/?a=b"),
        *("咖啡", "tea", "#tea", "@alice", "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"),
    ]
)
TYPED = st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join)


def read(text: str) -> list[str]:
    return [str(clause) for clause in parse(text).clauses]


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("tea cake", ["tea", "cake"]),
        ('"first  frost" snow', ['"first frost"', "snow"]),
        ("„first frost“ “snow”", ['"first frost"', '"snow"']),
        ("snow frost OR ice OR hail wind", ["snow", "frost OR ice OR hail", "wind"]),
        ("tea or coffee", ["tea", "or", "coffee"]),
        ('tea -milk -"two sugars" -from:bob', ["tea", "-milk", '-"two sugars"', "-from:bob"]),
        ("tea - milk", ["tea", "-", "milk"]),
        ("From:@Alice to:BOB", ["from:alice", "to:bob"]),
        ("lang:EN-us lang:pt-br lang:zh-TW", ["lang:en", "lang:pt-BR", "lang:zh-TW"]),
        ("has:links has:Pictures has:poll", ["has:link", "has:media", "has:poll"]),
        ("since:2026-01-31 until:2026-02-01", ["since:2026-01-31", "until:2026-02-01"]),
        ("min_likes:007 filter:follows", ["min_likes:7", "filter:follows"]),
        ("in:Bookmarks", ["in:bookmarks"]),
        ("#tea @alice 12:30 re:tea", ["#tea", "@alice", "12:30", "re:tea"]),
        ("https://a.example:80/", ["https://a.example:80/"]),
        (f"{wide('#')}茶{wide(' from:bob')}", ["#茶", "from:bob"]),
        ("   ", []),
    ],
)
def test_queries_are_read(typed: str, parts: list[str]) -> None:
    assert read(typed) == parts


def test_values_are_what_they_say() -> None:
    found = parse("since:2026-01-31 min_likes:10 a OR b -c")
    assert found == Query(
        (
            Clause((Filter("since", date(2026, 1, 31)),)),
            Clause((Filter("min_likes", 10),)),
            Clause((Words("a"), Words("b"))),
            Clause((Words("c"),), is_negated=True),
        )
    )
    assert [it.value for it in found.filters("min_likes")] == [10]


@pytest.mark.parametrize(
    ("typed", "marked", "words"),
    [
        ('tea "first frost', '"', "no partner"),
        ('tea -"', '"', "no partner"),
        ("OR tea", "OR", "between two words"),
        ("tea OR", "OR", "between two words"),
        ("tea OR OR cake", "OR cake", "between two words"),
        ("tea OR -milk", "-", "can't stand together"),
        ("-milk OR tea", "OR", "can't stand together"),
        ("tea from:", "from:", "from:alice"),
        ("tea from:a-b", "from:a-b", "from:alice"),
        ("to:näme", "to:näme", "to:alice"),
        ("tea lang:english!", "lang:english!", "lang:en"),
        ("has:cheese", "has:cheese", "link, reply, media or poll"),
        ("tea since:yesterday", "since:yesterday", "since:2026-01-31"),
        ("until:2026-02-30", "until:2026-02-30", "until:2026-01-31"),
        ("min_likes:many", "min_likes:many", "min_likes:10"),
        ("filter:enemies", "filter:enemies", "filter:follows"),
        ("in:likes", "in:likes", "in:bookmarks"),
        ("tea -since:2026-01-01", "since:2026-01-01", "Leave out the -"),
        ("tea OR min_likes:3", "min_likes:3", "Leave out the OR"),
        ("a " * MOST_PARTS + "more and", "more and", "at most 20"),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(typed: str, marked: str, words: str) -> None:
    with pytest.raises(BadQuery, match=words) as caught:
        parse(typed)
    error = caught.value
    expected = typed.rindex(marked)
    assert error.column == expected
    assert typed[expected:].startswith(typed[error.column : error.column + error.length])
    assert error.status == 400


@given(TYPED)
def test_any_text_is_read_or_refused_at_a_place_in_it(typed: str) -> None:
    found = parsed_or_refused(typed)
    if isinstance(found, BadQuery):
        assert 0 <= found.column < len(typed)
        assert 1 <= found.length <= len(typed) - found.column
        assert found.words
    else:
        assert parse(str(found)) == found, "printed, and read again"
        assert len(found.clauses) <= MOST_PARTS


def parsed_or_refused(typed: str) -> Query | BadQuery:
    try:
        return parse(typed)
    except BadQuery as error:
        return error
