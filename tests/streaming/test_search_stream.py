"""The browser's stream of a search: new posts that its results would show."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from django.conf import settings as site
from hypothesis import given
from hypothesis import strategies as st

from relations.blocks_and_mutes.services import block, mute, mute_word
from search.live_searches import FollowedSearch, Searches
from search.query.meaning import meaning_of
from search.query.parsing import parse
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from streaming.engine.searches import KNOWN, SearchIndex
from streaming.event import POST, StreamEvent, body_of, facts_of, json_text, seal
from taskqueue.drain import drain
from tests.cast import make_user
from tests.search.finding import found, index_all
from tests.streaming.publishing import stored
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource, bobs_cookie
from users.audience import Visibility
from users.models import User
from users.services import silence

__all__ = ["bobs_cookie"]

Follow = Callable[..., EventSource]


def path_of(query: str) -> str:
    return f"/streaming/search?q={quote(query)}"


@pytest.fixture
def follow_search(server: StreamServer, bobs_cookie: str) -> Iterator[Follow]:
    """By bob."""
    with contextlib.ExitStack() as stack:

        def open_stream(query: str, **options: Any) -> EventSource:
            source = EventSource(server, bobs_cookie, path=path_of(query), **options)
            return stack.enter_context(contextlib.closing(source))

        yield open_stream


# `server` comes first: it says under which keys the accounts are made.


def test_a_search_carries_what_it_finds_from_anybody_until_it_is_deleted(
    server: StreamServer, carol: User, follow_search: Follow
) -> None:
    search = follow_search("tea -milk")
    post_status(author=carol, text="coffee")
    post_status(author=carol, text="tea with milk")
    status = post_status(author=carol, text="Some TEA <b>")
    edit_status(status=status, by=carol, text="Some coffee")
    delete_status(status=status, by=carol)
    first, second, third = search.wait(3)
    assert first.event == "update"
    assert f'id="status-{status.pk}"' in first.data
    assert "Some TEA &lt;b&gt;" in first.data
    assert second.event == "status.update", "a page that shows it shows the edit too"
    assert third[1:] == ("delete", str(status.pk))


def test_a_search_brings_no_more_than_its_page_would_show(
    server: StreamServer, alice: User, bob: User, carol: User, follow_search: Follow
) -> None:
    shy, muted, quiet = (make_user(it) for it in ("shy", "muted", "quiet"))
    User.objects.filter(pk=shy.pk).update(posts_are_searchable=False)
    shy.refresh_from_db()
    block(blocker=carol, blocked=bob)
    mute(user=bob, muted=muted)
    mute_word(user=bob, phrase="spoilers", action="hide")
    silence(user=quiet)
    quiet.refresh_from_db()
    search = follow_search("tea")
    for author in (shy, carol, muted, quiet):
        post_status(author=author, text="tea")
    for visibility in (Visibility.UNLISTED, Visibility.FOLLOWERS, Visibility.MENTIONED):
        post_status(author=alice, text="tea @bob", visibility=visibility)
    post_status(author=alice, text="tea and spoilers")
    post_status(author=alice, text="tea for all")
    assert "for all" in search.wait(1)[0].data


def test_who_comes_back_misses_nothing_that_may_still_be_found(
    server: StreamServer, alice: User, carol: User, follow_search: Follow
) -> None:
    search = follow_search("tea")
    gone = post_status(author=alice, text="tea 0")
    position = search.wait(1)[0].id
    search.close()
    delete_status(status=gone, by=alice)
    post_status(author=alice, text="coffee")
    post_status(author=carol, text="tea of carol")
    post_status(author=alice, text="tea 1")
    User.objects.filter(pk=carol.pk).update(posts_are_searchable=False)
    first, second = follow_search("tea", last_event_id=position).wait(2)
    assert first[1:] == ("delete", str(gone.pk))
    assert "tea 1" in second.data


def test_a_search_also_carries_what_concerns_its_reader(
    server: StreamServer, carol: User, follow_search: Follow
) -> None:
    search = follow_search("tea")
    post_status(author=carol, text="hello @bob")
    drain()
    assert search.wait(1)[0].event == "notification"


@pytest.mark.parametrize(
    "query",
    [
        *("", "-tea", '"tea', "tea since:yesterday", "tea in:bookmarks", "tea from:me"),
        *("tea min_likes:3", "tea until:2030-01-01", "tea since:2999-01-01", "tea filter:follows"),
    ],
)
def test_what_cannot_be_live_is_refused(server: StreamServer, bobs_cookie: str, query: str) -> None:
    cookies = {site.SESSION_COOKIE_NAME: bobs_cookie}
    answer = httpx.get(server.url + path_of(query), cookies=cookies)
    assert answer.status_code == 400
    assert answer.json()["code"] == "query"


def test_a_search_needs_the_session_of_an_account(server: StreamServer) -> None:
    assert httpx.get(server.url + path_of("tea")).status_code == 401
    assert httpx.post(server.url + path_of("tea")).status_code == 405


QUERIES = [
    *("tea", "cafe", "tea milk", "tea OR coffee", "tea -milk", '"green tea"', "from:alice"),
    *("to:alice", "lang:zh", "has:link", "#tea", "@bob", "咖啡", "咖", "-#tea from:alice"),
    *("has:reply -lang:zh", "example.com", "tea since:2024-01-01", "to:me"),
]


def test_live_searches_find_what_results_show(alice: User, bob: User, carol: User) -> None:
    texts = [
        *("green tea", "tea, green", "Café", "tea with milk", "#tea", "coffee @bob"),
        *("一杯咖啡店", "see https://www.example.com/tea"),
    ]
    posts = [post_status(author=alice, text=it).pk for it in texts]
    posts.append(post_status(author=carol, text="中文 tea", language="zh").pk)
    (answered,) = find_statuses(posts[:1]).values()
    posts.append(post_status(author=bob, text="tea!", reply_to=answered.id).pk)
    index_all()
    statuses = find_statuses(posts)
    for query in QUERIES:
        search = Searches().read(query, reader=alice)
        cuts = {it.text: Searches().cut(it) for it in statuses.values()}
        live = {text for text, cut in cuts.items() if search.fits(cut.document)}
        assert live == set(found(query, alice)), query
        assert live, query
        assert all(cuts[text].anchors & search.anchors for text in live), query


WORDS = st.sampled_from(["tea", "milk", "Café", "咖啡", "咖", "一杯咖啡", "#tea", '"tea milk"'])


def search_for(query: str) -> FollowedSearch:
    return FollowedSearch(meaning_of(parse(query), viewer=None).wanted)


def event_of(number: int, text: str) -> StreamEvent:
    status = stored(number, text=text)
    about = seal(facts_of(status, is_findable=True))
    return StreamEvent(number, number - 1, POST, json_text(body_of(status)), about)


@given(
    texts=st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=4),
    queries=st.lists(
        st.tuples(st.lists(WORDS, min_size=1, max_size=2).map(" OR ".join), WORDS).map(" ".join),
        max_size=4,
    ),
)
def test_the_index_finds_the_streams_whose_search_fits(
    texts: list[str], queries: list[str]
) -> None:
    index: SearchIndex[int] = SearchIndex()
    searches: list[FollowedSearch] = [search_for(it) for it in queries]
    for number, search in enumerate(searches):
        index.add(number, search)
    for number, text in enumerate(texts, start=1):
        cut = Searches().cut(stored(number, text=text))
        fitting = {at for at, it in enumerate(searches) if it.fits(cut.document)}
        assert index.find(event_of(number, text)) == fitting
    for at in range(len(searches)):
        index.remove(at)
    assert not index._by_anchor


def test_only_the_newest_posts_of_a_stream_are_known() -> None:
    index: SearchIndex[str] = SearchIndex()
    index.add("bob", search_for("tea"))
    for number in range(1, KNOWN + 3):
        index.remember("bob", number)
        index.remember("bob", number)
    known = [it for it in range(1, KNOWN + 3) if index.find(event_of(it, "coffee"))]
    assert known == list(range(3, KNOWN + 3))
