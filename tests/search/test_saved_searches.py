"""Searches that people keep: saved ones, and the newest few they have made."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from search.models import RecentSearch, SavedSearch
from search.services import (
    MOST_RECENT,
    MOST_SAVED,
    delete_search,
    forget_searches,
    remember,
    rename_search,
    save_search,
)
from taskqueue.drain import drain
from tests.cast import browser_of
from users.export.register import parts
from users.models import User
from users.services import delete_account
from web.refusals import Refusal

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def recent(user: User) -> list[str]:
    found = RecentSearch.objects.filter(user=user).order_by("-searched_at")
    return [it.query for it in found]


def test_a_search_is_saved_once_however_it_is_written(alice: User, bob: User) -> None:
    first = save_search(user=alice, query='from:@Bob  "first  frost" has:pictures')
    assert first.query == 'from:bob "first frost" has:media'
    assert save_search(user=alice, query='from:bob "first frost" has:media').pk == first.pk
    assert save_search(user=bob, query="from:bob").user == bob
    rename_search(search=first, name="  Frost ")
    assert [str(it) for it in alice.saved_searches.all()] == ["Frost"]
    rename_search(search=first, name="")
    assert str(SavedSearch.objects.get(pk=first.pk)) == first.query
    delete_search(search=first)
    delete_search(search=first)
    assert not alice.saved_searches.exists()


@pytest.mark.parametrize("query", ['"tea', "OR", "", "-tea", " ".join("abcdefghijklmnopqrstuvw")])
def test_what_cannot_be_searched_is_not_saved(alice: User, query: str) -> None:
    with pytest.raises(Refusal):
        save_search(user=alice, query=query)
    assert not SavedSearch.objects.exists()


def test_there_is_a_maximum_of_saved_searches(alice: User) -> None:
    SavedSearch.objects.bulk_create(
        SavedSearch(user=alice, query=f"tea {number}") for number in range(MOST_SAVED)
    )
    save_search(user=alice, query="tea 1")
    with pytest.raises(Refusal, match="maximum"):
        save_search(user=alice, query="coffee")


def test_saved_searches_of_others_are_not_there(alice: User, bob: User) -> None:
    search = save_search(user=alice, query="tea")
    stranger = browser_of(bob)
    address = f"/search/saved/{search.pk}/"
    assert stranger.get(address).status_code == 404
    assert stranger.post(address, {"name": "mine"}).status_code == 404
    assert stranger.post(f"{address}delete/").status_code == 404
    assert "tea" not in stranger.get("/search/saved/").content.decode().split("<main")[1]
    search.refresh_from_db()
    assert search.name == ""


def test_a_search_is_saved_renamed_and_deleted_on_its_pages(alice: User) -> None:
    browser = browser_of(alice)
    assert "Save search" in browser.get("/search/?q=tea+-milk").content.decode()
    answer = browser.post("/search/save/", {"q": "tea -milk"}, follow=True)
    assert answer.redirect_chain == [("/search/?q=tea+-milk", 302)]
    assert "The search is saved" in answer.content.decode()
    assert "Save search" not in answer.content.decode()
    search = alice.saved_searches.get()
    page = browser.get("/search/saved/").content.decode()
    assert 'href="/search/?q=tea%20-milk"' in page
    browser.post(f"/search/saved/{search.pk}/", {"name": "Tea <3"})
    assert "Tea &lt;3" in browser.get("/search/").content.decode()
    browser.post(f"/search/saved/{search.pk}/delete/")
    assert not alice.saved_searches.exists()


def test_a_saved_search_is_live_unless_it_asks_for_more_than_posts_say(alice: User) -> None:
    browser = browser_of(alice)
    page = browser.get("/search/", {"q": 'tea "of day"'}).content.decode()
    assert 'data-live="/streaming/search?q=tea+%22of+day%22"' in page
    save_search(user=alice, query="tea in:bookmarks")
    page = browser.get("/search/", {"q": "tea in:bookmarks"}).content.decode()
    assert "data-live" not in page
    assert "appear here by themselves" in page
    assert "data-live" not in browser.get("/search/?q=tea&tab=top").content.decode()
    assert "data-live" not in Client().get("/search/?q=tea").content.decode()


def test_visitors_save_nothing(alice: User) -> None:
    visitor = Client()
    assert "Save search" not in visitor.get("/search/?q=tea").content.decode()
    assert visitor.post("/search/save/", {"q": "tea"})["Location"].startswith("/login/")
    assert visitor.get("/complete/searches/").status_code in (302, 401)
    drain()
    assert not RecentSearch.objects.exists()


def test_the_newest_searches_are_remembered_each_once(alice: User, bob: User) -> None:
    browser = browser_of(alice)
    for query in ("tea", "coffee", '"tea', "tea", "ali&tab=people", "#tea&tab=tags"):
        browser.get(f"/search/?q={query.replace('#', '%23')}")
    browser.get("/search/?q=milk&max_id=5")
    browser.get("/search/?q=milk", headers={"HX-Request": "true"})
    drain()
    assert recent(alice) == ["#tea", "ali", "tea", "coffee"]
    assert recent(bob) == []


def test_only_the_newest_ten_are_kept_in_whatever_order_they_come(alice: User) -> None:
    for number in (3, 1, 2, *range(4, MOST_RECENT + 4), 5):
        remember(user_id=alice.pk, query=f"tea {number}", at=NOON + timedelta(hours=number))
    assert recent(alice) == [f"tea {it}" for it in range(MOST_RECENT + 3, 3, -1)]
    remember(user_id=alice.pk, query="tea 5", at=NOON)
    assert recent(alice)[-2] == "tea 5", "an older look does not count"


def test_recent_searches_are_cleared_one_by_one_or_whole(alice: User, bob: User) -> None:
    for number, query in enumerate(("tea", "coffee", "milk")):
        remember(user_id=alice.pk, query=query, at=NOON + timedelta(hours=number))
        remember(user_id=bob.pk, query=query, at=NOON)
    browser = browser_of(alice)
    assert "coffee" in browser.get("/search/").content.decode()
    browser.post("/search/recent/forget/", {"q": "coffee"})
    assert recent(alice) == ["milk", "tea"]
    forget_searches(user=alice)
    assert recent(alice) == []
    assert len(recent(bob)) == 3


def test_the_box_gets_what_its_reader_kept(alice: User, bob: User) -> None:
    search = save_search(user=alice, query="from:bob tea")
    rename_search(search=search, name="Bob's tea")
    remember(user_id=alice.pk, query="coffee", at=NOON)
    answer = browser_of(alice).get("/complete/searches/")
    assert answer.json() == {
        "searches": [["from:bob tea", "Bob's tea", "Saved"], ["coffee", "", "Recent"]]
    }
    assert "no-store" in answer["Cache-Control"] or "private" in answer["Cache-Control"]
    assert browser_of(bob).get("/complete/searches/").json() == {"searches": []}


def test_kept_searches_are_exported_and_leave_with_their_account(alice: User, bob: User) -> None:
    save_search(user=alice, query="tea")
    save_search(user=bob, query="coffee")
    remember(user_id=alice.pk, query="milk", at=NOON)
    exported = {part.name: list(part.rows(alice)) for part in parts()}
    assert [it["query"] for it in exported["saved_searches"]] == ["tea"]
    assert [it["query"] for it in exported["recent_searches"]] == ["milk"]
    delete_account(user=alice)
    remember(user_id=alice.pk, query="late", at=NOON)
    assert [it.query for it in SavedSearch.objects.all()] == ["coffee"]
    assert not RecentSearch.objects.exists()
