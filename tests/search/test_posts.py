"""Searching posts, on the engine that the tests run on."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from relations.blocks_and_mutes.services import block, mute
from search.posts import search_posts
from search.query.parsing import parse
from search.query.syntax import BadQuery
from statuses.models import Status
from statuses.reactions.services import bookmark, boost, like
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.search.finding import found, index_all
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, restore, silence, suspend, unsilence


def say(author: User, *texts: str) -> list[Status]:
    said = [post_status(author=author, text=text) for text in texts]
    index_all()
    return said


def stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("tea", ["No tea", "Tea and #Cake", "tea"]),
        ("TEA cake", ["Tea and #Cake"]),
        ("#cake", ["Tea and #Cake"]),
        ("cake OR milk", ["Milk, please @bob", "Tea and #Cake"]),
        ("tea -cake -no", ["tea"]),
        ('"tea and cake"', ["Tea and #Cake"]),
        ('"cake and tea"', []),
        ("@bob", ["Milk, please @bob"]),
        ("example.com", ["see https://example.com/a?b=c"]),
        ("has:link", ["see https://example.com/a?b=c"]),
        ("咖啡", ["一杯咖啡"]),
        ("咖", ["一杯咖啡"]),
        ("杯咖啡", ["一杯咖啡"]),
        ("啡咖", []),
        ("from:alice tea", ["Tea and #Cake", "tea"]),
        ("-from:alice tea", ["No tea"]),
        ("from:alice OR from:bob no OR cake", ["No tea", "Tea and #Cake"]),
        ('"no tea" OR "tea and"', ["No tea", "Tea and #Cake"]),
        ('tea -"tea and cake"', ["No tea", "tea"]),
        ('tea -"cake and tea"', ["No tea", "Tea and #Cake", "tea"]),
        ("咖 -啡咖 -杯咖啡店", ["一杯咖啡"]),
        ("- tea !!!", ["No tea", "Tea and #Cake", "tea"]),
        ("from:nobody tea", []),
        ("tea until:2024-02-01", []),
        ("tea since:2024-02-01", ["No tea", "Tea and #Cake", "tea"]),
        ("has:media OR has:poll", []),
        ("cafe", ["Café!"]),
    ],
)
def test_posts_are_found_by_what_they_say(
    alice: User, bob: User, query: str, texts: list[str]
) -> None:
    say(alice, "tea", "Tea and #Cake", "Milk, please @bob", "see https://example.com/a?b=c")
    say(bob, "No tea", "一杯咖啡", "Café!")
    assert found(query) == texts


def test_replies_and_languages_have_words_of_their_own(alice: User, bob: User) -> None:
    (question,) = say(alice, "Tea?")
    post_status(author=bob, text="Yes", reply_to=question.pk, language="en")
    post_status(author=bob, text="Oui", reply_to=question.pk, language="fr")
    index_all()
    assert found("to:alice") == found("has:reply") == ["Oui", "Yes"]
    assert found("to:alice lang:fr") == ["Oui"]
    assert found("has:reply -lang:fr") == ["Yes"]
    assert found("to:me", alice) == ["Oui", "Yes"]
    assert found("lang:me") == []


def test_warnings_are_searched_but_no_phrase_goes_on_behind_them(alice: User) -> None:
    post_status(author=alice, text="frost", warning="The first")
    index_all()
    assert found("first frost") == ["frost"]
    assert found('"first frost"') == []


def test_what_is_deleted_or_edited_is_gone_before_the_index_hears_of_it(alice: User) -> None:
    gone, said = say(alice, "tea", "tea time")
    delete_status(status=gone, by=alice)
    edit_status(status=said, by=alice, text="cake time")
    assert found("tea") == []
    index_all()
    assert found("tea") == []
    assert found("cake") == ["cake time"]


def test_moderators_and_settings_hide_at_once(alice: User, bob: User, carol: User) -> None:
    say(alice, "tea")
    assert found("tea") == ["tea"]
    suspend(user=alice)
    assert found("tea") == []
    restore(user=alice)
    silence(user=alice)
    assert found("tea", bob) == [], "bob follows alice"
    unsilence(user=alice)
    change_privacy(user=alice, is_private=True, default_visibility=0)
    assert found("tea", bob) == []
    change_privacy(user=alice, is_private=False, default_visibility=0, posts_are_searchable=False)
    assert found("tea", bob) == []
    assert found("tea from:me", alice) == ["tea"]
    change_privacy(user=alice, is_private=False, default_visibility=0, posts_are_searchable=True)
    index_all()
    assert found("tea") == ["tea"]


def test_blocks_and_mutes_hide(alice: User, bob: User, carol: User) -> None:
    say(alice, "tea")
    block(blocker=alice, blocked=carol)
    mute(user=bob, muted=alice)
    assert found("tea", carol) == found("tea", bob) == []
    assert found("tea") == found("tea", alice) == ["tea"]


def test_one_searches_ones_own_posts_in_full(alice: User, bob: User) -> None:
    for visibility in Visibility:
        text = f"tea for {visibility.name}"
        post_status(author=alice, text=text, visibility=visibility)
    index_all()
    everything = [f"tea for {it.name}" for it in reversed(Visibility)]
    assert found("tea from:me", alice) == found("from:me", alice) == everything
    assert found("tea -public from:me", alice) == everything[:-1]
    assert found("tea from:alice", alice) == found("tea", bob) == ["tea for PUBLIC"]
    assert found("tea from:me", bob) == []


def test_one_searches_ones_bookmarks_in_full(alice: User, bob: User, carol: User) -> None:
    for visibility in (Visibility.PUBLIC, Visibility.FOLLOWERS):
        text = f"tea for {visibility.name}"
        said = stored(post_status(author=alice, text=text, visibility=visibility))
        bookmark(user=bob, status=said)
        bookmark(user=carol, status=said)
    say(alice, "more tea")
    assert found("tea in:bookmarks", bob) == ["tea for FOLLOWERS", "tea for PUBLIC"]
    assert found("in:bookmarks", bob) == ["tea for FOLLOWERS", "tea for PUBLIC"]
    assert found("tea in:bookmarks", carol) == ["tea for PUBLIC"]
    assert found("tea in:bookmarks from:me", bob) == []


def test_likes_and_follows_narrow_a_search(alice: User, bob: User, carol: User) -> None:
    liked, _ = say(alice, "tea with milk", "tea")
    say(carol, "tea for carol")
    for fan in (bob, carol):
        like(user=fan, status=stored(liked))
    assert found("tea min_likes:1") == found("tea min_likes:2") == ["tea with milk"]
    assert found("tea min_likes:3") == []
    assert found("tea filter:follows", bob) == ["tea", "tea with milk"]
    assert found("tea filter:follows min_likes:2", bob) == ["tea with milk"]


def test_the_top_is_by_likes_boosts_and_age(alice: User, bob: User, carol: User) -> None:
    first, second, third = say(alice, "tea 1", "tea 2", "tea 3")
    like(user=bob, status=stored(first))
    boost(user=bob, status=stored(second))
    assert found("tea", order="top") == ["tea 2", "tea 1", "tea 3"]
    for fan in (carol, make_user("dave")):
        like(user=fan, status=stored(first))
    assert found("tea", order="top") == ["tea 1", "tea 2", "tea 3"]
    delete_status(status=third, by=alice)
    assert found("tea", order="top") == ["tea 1", "tea 2"]


def test_pages_follow_each_other_without_repeats(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.posts.PAGE_SIZE", 2)
    texts = [f"tea {number}" for number in range(7)]
    say(alice, *texts)
    say(bob, "tea of bob")
    suspend(user=bob)
    assert found("tea") == texts[::-1]
    assert found("tea from:me", alice) == texts[::-1]
    assert sorted(found("tea", order="top")) == texts


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("from:me tea", "Log in to search with from:me"),
        ("tea filter:follows", "Log in"),
        ("in:bookmarks", "Log in"),
        ("-tea", "Add what to look for"),
        ("since:2026-01-01", "Add what to look for"),
        ("!!", "Add what to look for"),
    ],
)
@pytest.mark.usefixtures("transactional_db")
def test_what_visitors_can_not_ask_is_refused(query: str, words: str) -> None:
    with pytest.raises(BadQuery, match=words):
        search_posts(parse(query), viewer=None)


def test_the_page_shows_posts_and_people_of_that_name(alice: User, client: Client) -> None:
    say(alice, "alice drinks tea")
    page = client.get("/search/?q=alice").content.decode()
    assert "drinks tea" in page
    assert 'class="people"' in page
    assert 'class="people"' not in client.get("/search/?q=alice+-x").content.decode()
    make_user("ben", bio="A teacher")
    assert 'class="people"' not in client.get("/search/?q=tea").content.decode(), "by his bio"
    assert "No posts found" in client.get("/search/?q=ali").content.decode()


def test_tabs_and_pages_keep_the_query(
    alice: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.posts.PAGE_SIZE", 1)
    say(alice, "tea & milk 1", "tea & milk 2")
    page = client.get("/search/", {"q": "tea milk", "tab": "top"}).content.decode()
    assert 'href="/search/?q=tea%20milk&amp;tab=people"' in page
    assert "q=tea+milk&amp;tab=top&amp;after=" in page
    latest = client.get("/search/", {"q": "tea milk"}).content.decode()
    assert "</mark> 2" in latest
    newest = Status.objects.latest("pk").pk
    older = client.get(f"/search/?q=tea+milk&max_id={newest}")
    assert "</mark> 1" in older.content.decode()
    end = client.get("/search/", {"q": "tea milk", "max_id": "1"}).content.decode()
    assert "Nothing more here" in end


@pytest.mark.parametrize("tab", ["latest", "top"])
def test_a_bad_query_is_marked_at_its_place(alice: User, client: Client, tab: str) -> None:
    answer = client.get("/search/", {"q": "tea <b> since:yesterday now", "tab": tab})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "tea &lt;b&gt; <mark>since:yesterday</mark> now" in page
    assert "since:2026-01-31" in page


def test_what_a_stream_brought_is_shown_before_the_index_has_it(
    alice: User, bob: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("search.posts.PAGE_SIZE", 2)
    say(alice, "tea 1", "tea 2", "tea 3")
    old = Status.objects.earliest("pk").pk
    new = post_status(author=alice, text="tea 4").pk
    others = [
        post_status(author=alice, text="coffee").pk,
        post_status(author=alice, text="tea 5", visibility=Visibility.FOLLOWERS).pk,
    ]
    fresh = ",".join(map(str, [old, new, *others, 2**53 - 1]))
    page = client.get("/search/", {"q": "tea", "fresh": fresh}).context["page"]
    assert [it.text for it in page.entries] == ["tea 4", "tea 3"]
    unknown = client.get("/search/", {"q": "tea"}).context["page"]
    assert [it.text for it in unknown.entries] == ["tea 3", "tea 2"]
    older = client.get("/search/", {"q": "tea", "max_id": page.older}).context["page"]
    assert [it.text for it in older.entries] == ["tea 2", "tea 1"]
    assert client.get("/search/?q=tea&fresh=x").status_code == 400
    assert client.get(f"/search/?q=tea&fresh={'1,' * 101}").status_code == 400


@pytest.mark.parametrize("given", ["tab=posts", "tab=latest&max_id=x", "tab=top&after=high"])
def test_addresses_that_cannot_be_are_refused(alice: User, client: Client, given: str) -> None:
    assert client.get(f"/search/?q=tea&{given}").status_code == 400


def test_a_search_for_posts_costs_a_few_round_trips_and_queries(
    alice: User, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Session, rate limit, two for the posts, for people of that name, and the task that remembers
    the search; the account, the index, who may be found, the people, and whether it is saved.
    """
    say(alice, *(f"tea {number}" for number in range(35)))
    browser = browser_of(bob)
    browser.get("/search/?q=tea")
    with counting_round_trips() as trips, django_assert_max_num_queries(9):
        browser.get("/search/?q=tea")
    assert len(trips) <= 7, trips.sent


def test_the_privacy_page_says_whether_posts_are_found(alice: User) -> None:
    browser = browser_of(alice)
    assert "My public posts can be searched" in browser.get("/settings/privacy/").content.decode()
    browser.post("/settings/privacy/", {"default_visibility": "0"})
    alice.refresh_from_db()
    assert not alice.posts_are_searchable
    browser.post("/settings/privacy/", {"default_visibility": "0", "posts_are_searchable": "on"})
    alice.refresh_from_db()
    assert alice.posts_are_searchable
