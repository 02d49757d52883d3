"""The tables of the streaming API, row by row."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from statuses.stored import StoredStatus
from statuses.words.entities import Entity, Mentioned, find_entities
from statuses.words.terms import phrase_of, words_of
from streaming.asked.matching import Box, Filter, matches
from streaming.event import Point, StatusFacts, facts_of
from tests.statuses.test_terms import MIXED, RUNS
from tests.streaming.publishing import stored

TRACK = [
    ("Twitter", "TWITTER", True),
    ("Twitter", "twitter", True),
    ("Twitter", '"Twitter"', True),
    ("Twitter", "twitter.", True),
    ("Twitter", "#twitter", True),
    ("Twitter", "@twitter", True),
    ("Twitter", "http://twitter.com", True),
    ("Twitter", "TwitterTracker", False),
    ("Twitter", "#newtwitter", False),
    ("Twitter's", "I like Twitter's new design", True),
    ("Twitter's", "visit @Twitter's office", False),
    ("twitter api,twitter streaming", "The Twitter API is awesome", True),
    ("twitter api,twitter streaming", "Twitter has a streaming API", True),
    ("twitter api,twitter streaming", "I'm new to Twitter", False),
    ("example.com", "visit example.com", True),
    ("example.com", "example.com/foobarbaz", False),
    ("example.com/foobarbaz", "example.com/foobarbaz", True),
    ("example.com/foobarbaz", "www.example.com/foobarbaz", True),
    ("example.com/foobarbaz", "example.com", False),
    ("example com", "example.com", True),
    ("example com", "foo.example.com/bar", True),
    ("example com", "example of a dot com boom", True),
    ("touché", "touché", True),
    ("touché", "touche", False),
]
MORE_TRACK = [
    ("API twitter", "the twitter api", True),
    ("#twitter", "#twitter", True),
    ("#twitter", "@twitter and twitter", False),
    ("@alice", "hello @Alice!", True),
    ("@alice", "hello alice", False),
    ("https://www.example.com/a/", "see www.example.com/a", True),
    ("www.example.com/foo", "www.example.com/foo", True),
    ("www.example.com/foo", "example.com/foo", True),
    ("www.example.com/foo", "see https://example.com/foo/.", True),
    ("www.example.com/foo", "http://WWW.Example.com/foo", True),
    ("www.example.com/foo", "example.com", False),
    ("www.example.com/foo", "example.com/foo/bar", False),
    ("http://www.example.com/foo", "example.com/foo", True),
    ("HTTPS://Example.com/foo", "www.example.com/foo", True),
    ("example.com/foo/", "https://www.example.com/foo", True),
    ("www.example.com", "visit example.com", True),
    ("www.example.com", "visit https://www.example.com/", True),
    ("www.example.com", "example.com/foobarbaz", False),
    ("https://example.com/", "visit www.example.com", True),
    ("example.com/foo?a=b", "www.example.com/foo?a=b", True),
    ("example.com/foo?a=b", "www.example.com/foo", False),
    ("visit www.example.com/foo", "a visit to example.com/foo", True),
    ("www.münchen.de/a", "münchen.de/a", True),
    ("www", "www.example.com", True),
    ("www", "example.com", False),
    ("www.nothing", "nothing", False),
    ("www.nothing", "say www.nothing now", True),
    ("https://", "https://", True),
    # Addresses that urllib refuses to take apart.
    ("com", "http://exam\N{ACCOUNT OF}ple.com/a#b", True),
    ("http://exam\N{ACCOUNT OF}ple.com/", "www.exam\N{ACCOUNT OF}ple.com", True),
    ("hello", "my brother says hello.", True),
    ("hello.", "my brother says hello.", True),
    ("hello.", "hello world", False),
    ("touché", "touche\N{COMBINING ACUTE ACCENT}", True),
    ("🎉", "well done 🎉", True),
    ("straße", "STRASSE", True),
    ("\uff34witter", "twitter", True),
    ("twitter", "\uff34\uff37\uff29\uff34\uff34\uff25\uff32", True),
    ("c++", "学习c++的好处", True),
    ("c++", "学习c", False),
    ("3\u200b4", "34", True),
]
# Scripts that have no blanks between words, and what people see as one sign.
UNSPACED_TRACK = [
    ("咖啡", "一杯咖啡", True),
    ("咖啡", "#咖啡店", True),
    ("咖啡", "咖,啡", False),
    ("咖啡店", "一家咖啡店。", True),
    ("咖啡店", "啡店不是咖啡", False),
    ("咖啡店 tea", "Tea? 咖啡店!", True),
    ("咖啡 牛奶", "牛奶和咖啡", True),
    ("咖", "一杯咖啡", True),
    ("啡", "一杯咖啡", True),
    ("茶", "一杯咖啡", False),
    ("咖啡!", "一杯咖啡", True),
    ("#咖啡", "#咖啡", True),
    ("#咖啡", "#咖啡店", False),
    ("#咖啡", "咖啡", False),
    ("5G手机", "新的5g手机壳", True),
    ("5G手机", "手机", False),
    ("コーヒー", "ｺｰﾋｰを飲む", True),
    ("食べ", "ラーメンを食べる", True),
    ("か", "が", False),
    ("커피", "커피를 마셔요", True),
    ("กาแฟ", "ดื่มกาแฟร้อน", True),
    ("ก", "กำ", False),
    ("กาแฟ", "กา แฟ", False),
    ("ကော်ဖီ", "ကော်ဖီသောက်", True),
    ("កាហ្វេ", "ខ្ញុំផឹកកាហ្វេ", True),
    ("🎉", "done🎉🎉", True),
    ("❤", "❤\ufe0f", True),
    ("👍", "👍🏽", False),
    ("👍🏽", "yes👍🏽", True),
    ("👩", "👨\u200d👩\u200d👧", False),
    ("🇫🇷", "🇩🇪🇫🇷", True),
    ("🇪🇫", "🇩🇪🇫🇷", False),
    ("1\ufe0f\u20e3", "step 1\u20e3", True),
    ("咖啡", "see 咖啡店.example/x", True),
]


def words_in(text: str) -> frozenset[str]:
    return words_of(text, find_entities(text))


@pytest.mark.parametrize(("track", "text", "expected"), [*TRACK, *MORE_TRACK, *UNSPACED_TRACK])
def test_track(track: str, text: str, expected: bool) -> None:
    wanted = Filter(track=frozenset(map(phrase_of, track.split(","))))
    assert matches(wanted, StatusFacts(id=1, author_id=1, words=words_in(text))) is expected


@given(MIXED, st.data())
def test_what_somebody_selects_in_a_text_finds_it(text: str, data: st.DataObject) -> None:
    words = text.split()
    assume(words)
    chosen = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3))
    facts = StatusFacts(id=1, author_id=1, words=words_in(text))
    assert facts.says(phrase_of(" ".join(chosen)))


@given(RUNS, MIXED, MIXED, st.data())
def test_signs_that_stand_together_are_found(
    run: list[str], before: str, after: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(run) - 1))
    end = data.draw(st.integers(start + 1, len(run)))
    facts = StatusFacts(id=1, author_id=1, words=words_in(f"{before} {''.join(run)} {after}"))
    assert facts.says(phrase_of("".join(run[start:end])))


def status(*mentions: tuple[int, int], latitude: float | None = None) -> StoredStatus:
    """By user 7; each mention is a user's id and where it stands."""
    entities = [
        Entity("mention", start, start + 4, "bob", Mentioned(user_id, "bob", "Bob"))
        for user_id, start in mentions
    ]
    place = () if latitude is None else (("lat", str(latitude)), ("lon", "-122.4"))
    return stored(1)._replace(parts=place).with_entities(entities)


@pytest.mark.parametrize(
    ("facts", "user_id", "expected"),
    [
        (facts_of(status()), 7, True),
        (facts_of(status()), 8, False),
        (StatusFacts(id=1, author_id=7, addressees=frozenset({8})), 8, True),
        (facts_of(status((8, 0))), 8, True),
        (facts_of(status((8, 3))), 8, False),
    ],
    ids="author stranger answered begins-with-name mere-mention".split(),
)
def test_follow(facts: StatusFacts, user_id: int, expected: bool) -> None:
    wanted = Filter(follow=frozenset({user_id}))
    assert matches(wanted, facts) is expected


SAN_FRANCISCO = Box(-122.75, 36.8, -121.75, 37.8)


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (Point(-122.4, 37.7), True),
        (Point(-122.75, 36.8), True),
        (Point(-121.75, 37.8), True),
        (Point(-121.74, 37.7), False),
        (Point(37.7, -122.4), False),
        (None, False),
    ],
    ids="inside south-west-corner north-east-corner too-far-east swapped nowhere".split(),
)
def test_locations(point: Point | None, expected: bool) -> None:
    wanted = Filter(boxes=frozenset({SAN_FRANCISCO}))
    assert matches(wanted, StatusFacts(id=1, author_id=1, point=point)) is expected


def test_a_boost_is_in_no_place() -> None:
    there = facts_of(status(latitude=37.7))
    wanted = Filter(boxes=frozenset({SAN_FRANCISCO}))
    assert matches(wanted, there)
    assert not matches(wanted, replace(there, is_boost=True))


@pytest.mark.parametrize(
    ("language", "asked", "expected"),
    [
        ("en", {"en"}, True),
        ("pt-BR", {"pt"}, True),
        ("pt-BR", {"pt-br"}, True),
        ("pt", {"pt-br"}, False),
        ("und", {"en", "de"}, False),
    ],
)
def test_languages_narrow_down_what_was_found(
    language: str, asked: set[str], expected: bool
) -> None:
    wanted = Filter(percent=100, languages=frozenset(asked))
    assert matches(wanted, StatusFacts(id=1, author_id=1, language=language)) is expected


def test_two_samples_of_one_size_are_the_same_and_lie_within_a_larger_one() -> None:
    ids = [n << 12 for n in range(5_000)]  # as real ids: the sequence is mostly zero

    def sample(percent: int) -> set[int]:
        return {n for n in ids if matches(Filter(percent=percent), StatusFacts(id=n, author_id=1))}

    assert sample(10) <= sample(20) <= sample(100) == set(ids)
    assert 400 < len(sample(10)) < 600
    assert sample(0) == set()
