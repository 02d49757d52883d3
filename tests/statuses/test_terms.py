"""How texts and queries are cut into terms."""

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from statuses.words.entities import find_entities
from statuses.words.terms import MAX_TERM, Place, QueryTerms, places, query_terms
from web.plain_text import exact, plain

# Letters, some that combine, emoji and what is between words, in several scripts. Few of each, so
# that they meet.
SIGNS = st.sampled_from(
    [
        *"aéßÅŁ12_",
        *"咖啡店茶コーヒバ゙ﾊﾞ커피를กาแฟน้ำໄທខ្ញុំကာဖီ \n.,!'-/。、・#@\u200b\u200d\u0301\uff21ﷺ㍿™°",
        *["नि", "❤\ufe0f", "👍🏽", "🇩🇪", "🇫🇷", "1\ufe0f\u20e3", "👨\u200d👩\u200d👧"],
        *["🏴\U000e0067\U000e0062\U000e007f", "#tea", "#茶店", "@alice", " x.example/咖?a=b "],
    ]
)
MIXED = st.lists(SIGNS, max_size=30).map("".join)
RUNS = st.lists(st.sampled_from("咖 啡 店 茶 コ ー が ﾊﾞ 커 피 น้ำ แ ฟ ខ្ ញុំ ဖီ".split()), min_size=2)
ANYTHING = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def places_in(text: str) -> list[Place]:
    return places(text, find_entities(text))


def finds(query: str, text: str) -> bool:
    asked = query_terms(query)
    return asked is not None and asked.stand_in(places_in(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ein Café, bitte!", [("ein",), ("cafe",), ("bitte",)]),
        ("\uff21\uff30\uff29 o'neill snake_case", [("api",), ("o",), ("neill",), ("snake_case",)]),
        ("一杯咖啡", [("一杯",), ("杯咖",), ("咖啡",), ("啡",)]),
        ("茶", [("茶",)]),
        ("5G手机", [("5g",), ("手机",), ("机",)]),
        ("커피를 마셔", [("커피",), ("피를",), ("를",), ("마셔",), ("셔",)]),
        ("กาแฟ", [("กา",), ("าแ",), ("แฟ",), ("ฟ",)]),
        ("ខ្ញុំ", [("ខ្ញុំ",), ("ញុំ",)]),
        ("done🎉🎉", [("done",), ("🎉",), ("🎉",)]),
        ("👍🏽❤\ufe0f🇩🇪🇫🇷", [("👍🏽",), ("❤",), ("🇩🇪",), ("🇫🇷",)]),
        ("1\ufe0f\u20e3 👨\u200d👩\u200d👧", [("1\u20e3",), ("👨\u200d👩\u200d👧",)]),
        ("hi @Alice's #Thé", [("hi",), ("@alice", "alice"), ("s",), ("#the", "the")]),
        ("#咖啡店!", [("#咖啡店", "咖啡"), ("啡店",), ("店",)]),
        (
            "see https://www.a.example.com/b/#c",
            [("see",), ("a.example.com/b/#c", "a.example.com", "example.com")],
        ),
    ],
)
def test_terms_stand_at_places(text: str, expected: list[Place]) -> None:
    found = places_in(text)
    assert [it[:3] for it in found] == expected


def test_the_words_in_a_link_stand_where_it_stands() -> None:
    _, link, after = places_in("see example.com/tea/咖啡店 now")
    assert {"example", "com", "tea", "咖啡", "啡店", "店", "example.com"} < set(link)
    assert after == ("now",)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("CAFÉ", QueryTerms(("cafe",))),
        ("o'neill", QueryTerms(("o", "neill"))),
        ("咖啡", QueryTerms(("咖啡",))),
        ("咖啡店", QueryTerms(("咖啡", "啡店"))),
        ("咖", QueryTerms(("咖",), is_open=True)),
        ("咖啡 tea", QueryTerms(("咖啡", "啡", "tea"))),
        ("tea 茶", QueryTerms(("tea", "茶"), is_open=True)),
        ("#Thé", QueryTerms(("#the",))),
        ("#咖啡店", QueryTerms(("#咖啡店",))),
        ("#咖啡店 tea", QueryTerms(("#咖啡店", "啡店", "店", "tea"))),
        ("@Alice", QueryTerms(("@alice",))),
        ("https://Example.com/", QueryTerms(("example.com",))),
        ("!? …", None),
        ("\ufe0f", None),
        ("", None),
    ],
)
def test_what_a_query_looks_for(query: str, terms: QueryTerms | None) -> None:
    assert query_terms(query) == terms


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("咖啡", "一杯咖啡", True),
        ("咖啡店", "一家咖啡店", True),
        ("咖啡店", "咖啡,啡店", False),
        ("咖", "一杯咖啡", True),
        ("啡", "一杯咖啡", True),
        ("啡", "茶", False),
        ("茶", "#茶", True),
        ("コーヒー", "ｺｰﾋｰを飲む", True),
        ("커피", "커피를 마셔요", True),
        ("แฟ", "ดื่มกาแฟ", True),
        ("api", "\uff21\uff30\uff29", True),
        ("cafe", "Café", True),
        ("tea now", "tea, now", True),
        ("now tea", "tea now", False),
        ("tea 咖啡", "tea 咖啡店", True),
        ("咖啡 tea", "一杯咖啡 tea", True),
        ("咖啡 tea", "咖啡店 tea", False),
        ("hello alice", "hello @alice", True),
        ("@alice", "alice", False),
        ("#tea", "tea", False),
        ("example.com", "see https://www.example.com/tea", True),
        ("example.com", "see https://shop.example.com/tea", True),
        ("example.com/tea", "see https://www.example.com/tea/", True),
        ("example.com/tea", "see https://www.example.com/", False),
        ("👍", "👍🏽", False),
        ("🎉", "🎉🎉", True),
        ("🇪🇫", "🇩🇪🇫🇷", False),
    ],
)
def test_a_query_finds_a_text(query: str, text: str, expected: bool) -> None:
    assert finds(query, text) is expected


@given(ANYTHING | MIXED)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert exact(exact(text)) == exact(text)
    assert plain(plain(text)) == exact(plain(text)) == plain(exact(text)) == plain(text)


@given(ANYTHING | MIXED)
@example("a" * 1_000)
@example("http://exam\N{ACCOUNT OF}ple.com/\N{DIAERESIS}")
def test_terms_of_any_text_have_no_blanks_and_an_end(text: str) -> None:
    asked = query_terms(text)
    terms = [
        *(term for place in places_in(text) for term in place),
        *(asked.terms if asked else ()),
    ]
    assert all(terms)
    assert not any(sign.isspace() for term in terms for sign in term)
    assert max(map(len, terms), default=0) <= MAX_TERM


@given(MIXED, st.data())
def test_what_somebody_selects_in_a_text_finds_it(text: str, data: st.DataObject) -> None:
    words = text.split()
    assume(words)
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    phrase = " ".join(words[start:end])
    assert query_terms(phrase) is None or finds(phrase, text)


@given(RUNS, MIXED, MIXED, st.data())
def test_signs_that_stand_together_are_found(
    run: list[str], before: str, after: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    assert finds("".join(run[start:end]), f"{before} {''.join(run)} {after}")
