"""What was looked for is marked, and nothing else is changed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.query.meaning import meaning_of
from search.query.parsing import parse
from search.showing.marking import beginning, beginnings, mark, words_in_posts
from search.templatetags.search_marks import mark_posts
from statuses.words.entities import find_entities, to_html
from statuses.words.terms import QueryTerms, located, places, query_terms
from users.names.folding import terms_of

WIDE = "\uff21\uff30\uff29"
SIGNS = "ab <>&\"'#@;./:-_é\u0301\uff21\uff42ßİŁ一杯咖啡かが한국ก้า👍🏽❤\ufe0f\u200d\n\u00ad1"
TEXTS = st.text(st.sampled_from(SIGNS), max_size=40)


def asked_by(query: str) -> list[QueryTerms]:
    wanted = meaning_of(parse(query), viewer=None).wanted
    return [it for some in wanted.needed for it in some]


def marked(text: str, query: str) -> str:
    html = to_html(text, find_entities(text))
    found = mark(html, words_in_posts(asked_by(query)))
    return re.sub(r"<(?!/?mark)[^>]*>", "", found)


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Tea, and more tea", "tea", "<mark>Tea</mark>, and more <mark>tea</mark>"),
        ("teapot", "tea", "teapot"),
        ("Un Café crème", "cafe creme", "Un <mark>Café</mark> <mark>crème</mark>"),
        (f"The {WIDE}", "api", f"The <mark>{WIDE}</mark>"),
        ("Große Straße!", "strasse", "Große <mark>Straße</mark>!"),
        ("First, frost first", '"first frost"', "<mark>First, frost</mark> first"),
        ("一杯咖啡店", "咖啡", "一杯<mark>咖啡</mark>店"),
        ("一杯咖啡店", "杯咖啡", "一<mark>杯咖啡</mark>店"),
        ("一杯咖啡店", "咖", "一杯<mark>咖</mark>啡店"),
        ("tea & <b>tea</b>", "b", "tea &amp; &lt;<mark>b</mark>&gt;tea&lt;/<mark>b</mark>&gt;"),
        ("see #Tea", "#tea", "see <mark>#Tea</mark>"),
        ("tea or coffee", "tea OR milk -sugar", "<mark>tea</mark> or coffee"),
        ("amp &", "amp", "<mark>amp</mark> &amp;"),
        ("tea\nfrost", '"tea frost"', "<mark>tea</mark><mark>frost</mark>"),
    ],
)
def test_what_was_looked_for_is_marked(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


@given(text=TEXTS, words=TEXTS)
def test_only_marks_are_added_and_never_within_a_tag(text: str, words: str) -> None:
    html = to_html(text, find_entities(text))
    asked = [it for word in words.split() if (it := query_terms(word))]
    for find in (words_in_posts(asked), beginnings(terms_of(words)), beginning(words)):
        found = mark(html, find)
        assert re.sub("</?mark>", "", found) == html
        assert "<mark></mark>" not in found
        # Each mark holds text alone.
        assert re.findall("<mark>[^<]+</mark>", found) == re.findall(
            "<mark>.*?</mark>", found, re.S
        )


@given(text=TEXTS, word=TEXTS)
def test_a_text_has_a_mark_where_its_places_have_the_word(text: str, word: str) -> None:
    entities = find_entities(text)
    asked = query_terms(word)
    if any(it.kind == "link" for it in entities) or asked is None:
        return
    is_there = asked.stand_in(places(text, entities))
    assert bool(words_in_posts([asked])(text)) == is_there


@given(text=TEXTS)
def test_places_are_located_where_they_are(text: str) -> None:
    entities = find_entities(text)
    found = list(located(text, entities))
    assert [it.place for it in found] == places(text, entities)
    assert all(0 <= it.start < it.first_end <= it.end <= len(text) for it in found)


def test_names_are_marked_where_words_begin() -> None:
    assert mark("Ada Łukasz", beginnings(["luk"])) == "Ada <mark>Łukasz</mark>"
    assert mark("山田太郎", beginnings(terms_of("太郎"))) == "山田<mark>太郎</mark>"
    assert mark("Harbours", beginning("#harb")) == "<mark>Harb</mark>ours"


def test_nothing_outside_the_words_of_people_is_marked() -> None:
    html = '<a title="tea">tea</a><p class="status-text" dir="auto">tea</p><b>tea</b>'
    asked = asked_by("tea")
    expected = html.replace('auto">tea', 'auto"><mark>tea</mark>')
    assert mark_posts(html, asked) == expected
