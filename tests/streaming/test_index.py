from hypothesis import given
from hypothesis import strategies as st

from statuses.words.entities import find_entities
from statuses.words.terms import phrase_of, words_of
from streaming.asked.matching import Box, Filter, matches
from streaming.engine.index import StreamIndex
from streaming.event import Point, StatusFacts

# Few words, users and places, so that filters and statuses meet often.
WORDS = st.sampled_from(
    "red Green #blue @gold example.com example.com/a It's é 咖 咖啡 啡咖 咖啡咖 #咖啡 a咖啡".split()
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join).map(phrase_of)
USERS = st.integers(1, 5)
LONGITUDES = st.integers(-180, 180) | st.floats(-180, 180)
LATITUDES = st.integers(-90, 90) | st.floats(-90, 90)
TAGS = st.frozensets(st.sampled_from("tea cake 茶".split()), max_size=2)
LANGUAGES = st.sampled_from(["", "en", "pt", "pt-BR", "und"])


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    west, east = sorted((draw(LONGITUDES), draw(LONGITUDES)))
    south, north = sorted((draw(LATITUDES), draw(LATITUDES)))
    return Box(west, south, east, north)


FILTERS = st.builds(
    Filter,
    percent=st.sampled_from([0, 0, 1, 50, 100]),
    track=st.frozensets(PHRASES, max_size=3),
    follow=st.frozensets(USERS, max_size=2),
    boxes=st.frozensets(boxes(), max_size=2),
    authors=st.frozensets(USERS, max_size=2),
    tags=TAGS,
    languages=st.frozensets(LANGUAGES.map(str.lower), max_size=2),
)
FACTS = st.builds(
    StatusFacts,
    id=st.integers(1, 2**53),
    author_id=USERS,
    words=TEXTS.map(lambda text: words_of(text, find_entities(text))),
    addressees=st.frozensets(USERS, max_size=2),
    tags=TAGS,
    point=st.none() | st.builds(Point, LONGITUDES, LATITUDES),
    is_boost=st.booleans(),
    language=LANGUAGES,
)


@given(st.lists(FILTERS, max_size=8), st.lists(FACTS, min_size=1, max_size=8))
def test_the_index_finds_whom_the_plain_filter_finds(
    filters: list[Filter], statuses: list[StatusFacts]
) -> None:
    index: StreamIndex[int] = StreamIndex()
    for client, wanted in enumerate(filters):
        index.add(client, wanted)
    for status in statuses:
        plain = {client for client, wanted in enumerate(filters) if matches(wanted, status)}
        assert index.find(status) == plain


@given(st.lists(FILTERS, min_size=1, max_size=8), st.data())
def test_who_leaves_is_found_no_more_and_leaves_nothing_behind(
    filters: list[Filter], data: st.DataObject
) -> None:
    index: StreamIndex[int] = StreamIndex()
    for client, wanted in enumerate(filters):
        index.add(client, wanted)
    gone = data.draw(st.sets(st.sampled_from(range(len(filters)))))
    for client in gone:
        index.remove(client)
    status = data.draw(FACTS)
    stayed = {client for client in range(len(filters)) if client not in gone}
    assert index.find(status) == {c for c in stayed if matches(filters[c], status)}

    for client in stayed:
        index.remove(client)
    index.remove(99)
    assert _is_empty(index)


@given(FILTERS, USERS, st.booleans(), FACTS)
def test_a_home_gains_and_loses_authors(
    wanted: Filter, author_id: int, gains: bool, status: StatusFacts
) -> None:
    index: StreamIndex[str] = StreamIndex()
    index.add("home", wanted)
    change = index.add_author if gains else index.remove_author
    change("home", author_id)
    authors = wanted.authors | {author_id} if gains else wanted.authors - {author_id}
    changed = Filter(**(vars(wanted) | {"authors": authors}))
    assert index.find(status) == ({"home"} if matches(changed, status) else set())

    index.remove("home")
    assert _is_empty(index)


def _is_empty(index: StreamIndex[int] | StreamIndex[str]) -> bool:
    boxes = vars(index.__dict__["_boxes"]).values()
    others = (value for name, value in vars(index).items() if name != "_boxes")
    return not any(map(len, [*boxes, *others]))
