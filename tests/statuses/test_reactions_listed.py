"""The pages of what somebody liked and bookmarked."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import writing
from statuses.models import Like, Status, like_ids
from statuses.reactions import store as reaction_store
from statuses.reactions.rows import Reaction
from statuses.reactions.services import bookmark, like, unlike
from statuses.services import delete_status
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.entries import statuses_on
from tests.round_trips import counting_round_trips
from tests.statuses.reading_reactions import numbers, pages, post, posts
from timelines.reading.paging import PAGE_SIZE
from timelines.reading.reaction_timelines import bookmarked, liked
from users.models import User
from users.services import restore, suspend
from web import pager


def test_likes_and_bookmarks_are_listed_the_newest_first(alice: User, carol: User) -> None:
    first, second, third = posts(alice, 3)
    for status in (second, third, first):
        like(user=carol, status=status)
        bookmark(user=carol, status=status)
    browser = browser_of(carol)
    for address in ("/@carol/likes/", "/bookmarks/"):
        assert numbers(browser.get(address).content.decode()) == [0, 2, 1]
    unlike(user=carol, status_id=third.id)
    assert numbers(browser.get("/@carol/likes/").content.decode()) == [0, 1]
    assert numbers(browser.get("/bookmarks/").content.decode()) == [0, 2, 1]


def test_likes_of_others_are_public_unless_they_are_not(
    client: Client, alice: User, carol: User
) -> None:
    like(user=carol, status=post(alice, "number 7."))
    own_pages, others = browser_of(carol), (client, browser_of(alice))
    for browser in (own_pages, *others):
        assert numbers(browser.get("/@carol/likes/").content.decode()) == [7]
        assert '/@carol/likes/"' in browser.get("/@carol/").content.decode()
    fields = {"name": "", "bio": ""}
    assert own_pages.post("/settings/profile/", fields).status_code == 302
    assert numbers(own_pages.get("/@carol/likes/").content.decode()) == [7]
    assert "Only you can see your likes." in own_pages.get("/@carol/likes/").content.decode()
    for browser in others:
        assert browser.get("/@carol/likes/").status_code == 404
        assert '/@carol/likes/"' not in browser.get("/@carol/").content.decode()
    assert (
        own_pages.post("/settings/profile/", fields | {"likes_are_public": "on"}).status_code == 302
    )
    assert client.get("/@carol/likes/").status_code == 200


def test_the_setting_shows_how_it_stands(carol: User) -> None:
    browser = browser_of(carol)
    checked = r'name="likes_are_public"[^>]*checked'
    assert re.search(checked, browser.get("/settings/profile/").content.decode())
    User.objects.filter(pk=carol.pk).update(likes_are_public=False)
    page = browser.get("/settings/profile/").content.decode()
    assert "My likes are public" in page
    assert not re.search(checked, page)


def test_bookmarks_are_for_nobody_else(client: Client, alice: User, carol: User) -> None:
    bookmark(user=carol, status=post(alice, "number 7."))
    assert client.get("/bookmarks/")["Location"] == "/login/?next=/bookmarks/"
    assert numbers(browser_of(alice).get("/bookmarks/").content.decode()) == []
    answer = browser_of(carol).get("/bookmarks/")
    assert numbers(answer.content.decode()) == [7]
    assert "private" in answer["Cache-Control"]


def test_the_likes_of_a_suspended_account_are_not_there(client: Client, carol: User) -> None:
    suspend(user=carol)
    assert client.get("/@carol/likes/").status_code == 404


def test_empty_pages_say_what_to_do_next(client: Client, alice: User, carol: User) -> None:
    mine = browser_of(carol)
    assert "You haven't liked anything yet" in mine.get("/@carol/likes/").content.decode()
    assert "@carol hasn't liked anything" in client.get("/@carol/likes/").content.decode()
    assert "No bookmarks yet" in mine.get("/bookmarks/").content.decode()
    like(user=carol, status=post(alice, "hello"))
    first = Like.objects.get().pk
    assert "Nothing more here" in mine.get(f"/@carol/likes/?max_id={first}").content.decode()


@pytest.mark.parametrize("cursor", ["x", "-1", "9" * 17, ""])
def test_a_bad_cursor_is_refused(alice: User, cursor: str) -> None:
    status, browser = post(alice, "hello"), browser_of(alice)
    for address in (
        *("/@alice/likes/", "/bookmarks/"),
        *(f"/@alice/{status.id}/likes/", f"/@alice/{status.id}/boosts/"),
    ):
        assert browser.get(address, {"max_id": cursor}).status_code == 400


@pytest.mark.parametrize("reaction", ["like", "bookmark"])
@pytest.mark.parametrize("kept", [20_000, 40], ids=["in Redis", "across the seam"])
def test_pages_lead_down_to_the_first_one(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch, reaction: Reaction, kept: int
) -> None:
    monkeypatch.setattr(reaction_store, "REACTIONS_KEPT", kept)
    monkeypatch.setattr(writing, "SLACK", 1)
    do = like if reaction == "like" else bookmark
    for status in posts(alice, 70):
        do(user=carol, status=status)
    address = "/@carol/likes/" if reaction == "like" else "/bookmarks/"
    assert read_down(carol, address) == list(reversed(range(70))), "as loaded from SQL"
    for number in range(70, 75):
        do(user=carol, status=post(alice, f"number {number}."))
    assert read_down(carol, address) == list(reversed(range(75))), "as kept up, and trimmed"
    held = loaded_set.contents(get_client(), [keys.reactions(reaction, carol.pk)])
    ((scores, whole),) = held.values()
    assert (len(scores), whole) == ((75, True) if kept > 75 else (41, False))


def read_down(user: User, address: str) -> list[int]:
    """Each page but the last one is full."""
    shown = [numbers(page) for page in pages(browser_of(user), address)]
    assert {len(page) for page in shown[:-1]} == {PAGE_SIZE}
    return [number for page in shown for number in page]


def test_a_full_last_page_does_not_promise_another(alice: User, carol: User) -> None:
    for status in posts(alice, PAGE_SIZE):
        bookmark(user=carol, status=status)
    assert len(pages(browser_of(carol), "/bookmarks/")) == 1


def test_pages_stay_full_past_what_is_gone_or_hidden(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is in Redis or only in SQL; and what is hidden comes back in its old place."""
    monkeypatch.setattr(reaction_store, "REACTIONS_KEPT", 50)
    monkeypatch.setattr(writing, "SLACK", 1)
    mixed = [post((alice, bob)[n % 2], f"number {n}.") for n in range(120)]
    for status in mixed:
        like(user=carol, status=status)
    browser = browser_of(carol)
    browser.get("/@carol/likes/")
    for status in mixed[::10]:
        delete_status(
            status=Status.objects.get(pk=status.id), by=User.objects.get(username="alice")
        )
    before = get_client().zcard(keys.reactions("like", carol.pk))
    suspend(user=bob)
    left = [n for n in reversed(range(120)) if n % 2 == 0 and n % 10]
    shown = [numbers(page) for page in pages(browser, "/@carol/likes/")]
    assert [number for page in shown for number in page] == left
    assert [len(page) for page in shown[:-1]] == [PAGE_SIZE] * (len(shown) - 1)
    assert get_client().zcard(keys.reactions("like", carol.pk)) == before, "nothing is dropped"
    drain()
    restore(user=bob)
    all_left = [n for n in reversed(range(120)) if n % 10]
    shown = [numbers(page) for page in pages(browser, "/@carol/likes/")]
    assert [number for page in shown for number in page] == all_left


def test_a_page_ends_early_rather_than_looking_for_ever(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pager, "ROUNDS", 2)
    monkeypatch.setattr(pager, "MOST_AT_ONCE", 40)
    like(user=carol, status=post(alice, "number 0."))
    for status in posts(bob, 100):
        like(user=carol, status=status)
    suspend(user=bob)
    shown = pages(browser_of(carol), "/@carol/likes/")
    assert [numbers(page) for page in shown] == [[], [0]]
    assert "not liked anything" not in shown[0]


def test_a_page_of_likes_is_cheap(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for status in posts(alice, 40):
        like(user=carol, status=status)
        bookmark(user=bob, status=status)
    browser = browser_of(bob)
    for address, most in (("/@carol/likes/", 2), ("/bookmarks/", 1)):
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(most):
            page = browser.get(address).content.decode()
        assert len(numbers(page)) == PAGE_SIZE
        assert len(trips) <= 5, trips.sent


def test_others_see_their_own_marks_on_likes(alice: User, bob: User, carol: User) -> None:
    status = post(alice, "hello")
    like(user=carol, status=status)
    (shown,) = statuses_on(liked(carol, viewer=bob))
    assert not shown.marks.liked
    (shown,) = statuses_on(liked(carol, viewer=carol))
    assert shown.marks.liked
    assert statuses_on(bookmarked(carol)) == []


def test_likes_are_ordered_by_time_and_not_by_status(alice: User, carol: User) -> None:
    """Ids of likes are made like those of statuses, by a sequence of their own."""
    old, new = posts(alice, 2)
    like(user=carol, status=new)
    like(user=carol, status=old)
    assert [entry.id for entry in statuses_on(liked(carol, viewer=None))] == [old.id, new.id]
    newest = Like.objects.order_by("-id")[0]
    assert newest.status_id == old.id
    assert like_ids.next(get_client()) > newest.pk
