"""Liking, boosting and bookmarking through the pages, and the pages that list it."""

import re
from collections.abc import Callable, Sequence

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from redistools import keys, loaded_set
from redistools.client import get_client
from relations.services import follow
from statuses import own, store
from statuses.deeds import bookmark, boost, like, unlike
from statuses.models import Like, Status, like_ids
from statuses.own import Deed
from statuses.people import boosters, likers
from statuses.services import delete_status, post_status
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import browser_of, clicks, make_user
from tests.plans import on_sqlite
from tests.round_trips import counting_round_trips
from timelines import own_deeds
from timelines.own_deeds import bookmarked, liked
from timelines.paging import PAGE_SIZE
from users import throttling
from users.models import User
from users.services import restore, suspend

ADDRESSES = ("like", "unlike", "boost", "unboost", "bookmark", "unbookmark")
each_address = pytest.mark.parametrize("address", ADDRESSES)


def post(author: User, text: str) -> StoredStatus:
    status = post_status(author=author, text=text)
    return store.read_statuses([status.pk])[status.pk]


def posts(author: User, count: int) -> list[StoredStatus]:
    return [post(author, f"number {n}.") for n in range(count)]


def numbers(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"number (\d+)\.", page)]


def pages(browser: Client, address: str) -> list[str]:
    """All of them, as one reads on."""
    found = [browser.get(address).content.decode()]
    while older := re.search(r'href="([^"]+)" rel="next"', found[-1]):
        found.append(browser.get(older[1]).content.decode())
    return found


@pytest.mark.parametrize(
    ("do", "undo", "done", "undone"),
    [
        ("like", "unlike", "Liked", "Like"),
        ("boost", "unboost", "Boosted", "Boost"),
        ("bookmark", "unbookmark", "Bookmarked", "Bookmark"),
    ],
)
def test_a_button_does_it_and_the_same_button_undoes_it(
    alice: User, bob: User, do: str, undo: str, done: str, undone: str
) -> None:
    status = post(alice, "hello")
    browser = browser_of(bob)
    for wanted, instead, word in ((do, undo, done), (undo, do, undone)):
        page = browser.get("/").content.decode()
        assert f'formaction="/statuses/{status.id}/{wanted}/"' in page
        answer = browser.post(f"/statuses/{status.id}/{wanted}/", {"next": "/?max_id=9"})
        assert answer.status_code == 302
        assert answer["Location"] == f"/?max_id=9#status-{status.id}"
        page = browser.get("/").content.decode()
        pressed = "true" if wanted == do else "false"
        button = page[page.index(f'formaction="/statuses/{status.id}/{instead}/"') :]
        button = button[: button.index("</button>")]
        assert f'aria-pressed="{pressed}"' in button
        assert f"</span> {word}" in button


def test_counts_stand_beneath_a_status(client: Client, alice: User, bob: User, carol: User) -> None:
    status = post(alice, "hello")
    for user in (bob, carol):
        like(user=user, status=status)
    boost(user=bob, status=status)
    page = client.get(f"/@alice/{status.id}/").content.decode()
    assert f'href="/@alice/{status.id}/likes/">2 likes</a>' in page
    assert f'href="/@alice/{status.id}/boosts/">1 boost</a>' in page
    assert page.count("?next=") == 1, (
        "to log in and reply; nothing is written for a link that is not there"
    )
    quiet = post(alice, "quiet")
    assert "likes/" not in client.get(f"/@alice/{quiet.id}/").content.decode().split("<main")[1]


def test_the_actions_end_with_their_last_one(alice: User, bob: User) -> None:
    post(alice, "hello")
    for reader in (alice, bob):
        page = browser_of(reader).get("/").content.decode()
        after = page.split("</footer>")[1].strip()
        assert after.startswith("</div>")


@each_address
def test_buttons_take_a_post_of_a_member(client: Client, alice: User, address: str) -> None:
    status = post(alice, "hello")
    path = f"/statuses/{status.id}/{address}/"
    assert browser_of(alice).get(path).status_code == 405
    answer = client.post(path, {"next": "/@alice/"})
    assert answer["Location"] == "/login/?next=/%40alice/"
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(path).status_code == 403
    assert not Like.objects.exists()


@pytest.mark.parametrize("address", ["like", "boost", "bookmark"])
def test_what_one_can_not_see_one_can_not_use(alice: User, carol: User, address: str) -> None:
    status = post(alice, "hello")
    browser = browser_of(carol)
    assert browser.post(f"/statuses/4711/{address}/").status_code == 404
    suspend(user=alice)
    assert browser.post(f"/statuses/{status.id}/{address}/").status_code == 404
    restore(user=alice)
    delete_status(status=Status.objects.get(), by=alice)
    assert browser.post(f"/statuses/{status.id}/{address}/").status_code == 404
    assert browser.post(f"/statuses/{status.id}/un{address}/").status_code == 302


def test_a_boost_is_used_and_undone_by_its_own_id_too(alice: User, bob: User, carol: User) -> None:
    status = post(alice, "hello")
    boost(user=bob, status=status)
    passed_on = Status.objects.get(author=bob).pk
    browser = browser_of(carol)
    for deed in ("like", "boost", "bookmark"):
        browser.post(f"/statuses/{passed_on}/{deed}/")
    for kind in own.DEEDS:
        assert own.rows_in_sql(kind, carol.pk, among=[status.id])
    for deed in ("like", "boost", "bookmark"):
        browser.post(f"/statuses/{passed_on}/un{deed}/")
    for kind in own.DEEDS:
        assert not own.rows_in_sql(kind, carol.pk, among=[status.id])
    browser_of(bob).post(f"/statuses/{passed_on}/unboost/")
    assert not Status.objects.filter(author=bob).exists()


def test_a_boost_can_be_deleted_by_its_booster(alice: User, bob: User, carol: User) -> None:
    boost(user=bob, status=post(alice, "tea and cake"))
    address = f"/statuses/{Status.objects.get(author=bob).pk}/delete/"
    assert browser_of(carol).get(address).status_code == 403
    browser = browser_of(bob)
    assert "tea and cake" in browser.get(address).content.decode()
    assert browser.post(address).status_code == 302
    assert Status.objects.get().boosts_count == 0


def test_many_clicks_at_once_count_once(alice: User, carol: User) -> None:
    status = post(alice, "hello")
    for deed in ("like", "boost", "bookmark"):
        browsers = [browser_of(carol) for _ in range(4)]
        assert clicks(browsers, f"/statuses/{status.id}/{deed}/") == [302] * 4
    row = Status.objects.get(pk=status.id)
    assert (row.likes_count, row.boosts_count) == (1, 1)


# What one liked, and what one keeps.


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
    assert own_pages.post("/settings/", fields).status_code == 302
    assert numbers(own_pages.get("/@carol/likes/").content.decode()) == [7]
    assert "Only you can see this page." in own_pages.get("/@carol/likes/").content.decode()
    for browser in others:
        assert browser.get("/@carol/likes/").status_code == 404
        assert '/@carol/likes/"' not in browser.get("/@carol/").content.decode()
    assert own_pages.post("/settings/", fields | {"likes_are_public": "on"}).status_code == 302
    assert client.get("/@carol/likes/").status_code == 200


def test_the_setting_shows_how_it_stands(carol: User) -> None:
    browser = browser_of(carol)
    checked = r'name="likes_are_public"[^>]*checked'
    assert re.search(checked, browser.get("/settings/").content.decode())
    User.objects.filter(pk=carol.pk).update(likes_are_public=False)
    page = browser.get("/settings/").content.decode()
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
    assert "You have not liked anything yet" in mine.get("/@carol/likes/").content.decode()
    assert "@carol has not liked anything" in client.get("/@carol/likes/").content.decode()
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


@pytest.mark.parametrize("deed", ["likes", "bookmarks"])
@pytest.mark.parametrize("kept", [20_000, 40], ids=["in Redis", "across the seam"])
def test_pages_lead_down_to_the_first_one(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch, deed: Deed, kept: int
) -> None:
    monkeypatch.setattr(own, "OWN_SIZE", kept)
    monkeypatch.setattr(loaded_set, "SLACK", 1)
    do = like if deed == "likes" else bookmark
    for status in posts(alice, 70):
        do(user=carol, status=status)
    address = "/@carol/likes/" if deed == "likes" else "/bookmarks/"
    assert read_down(carol, address) == list(reversed(range(70))), "as loaded from SQL"
    for number in range(70, 75):
        do(user=carol, status=post(alice, f"number {number}."))
    assert read_down(carol, address) == list(reversed(range(75))), "as kept up, and trimmed"
    held = loaded_set.contents(get_client(), [keys.own(deed, carol.pk)])
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
    monkeypatch.setattr(own, "OWN_SIZE", 50)
    monkeypatch.setattr(loaded_set, "SLACK", 1)
    mixed = [post((alice, bob)[n % 2], f"number {n}.") for n in range(120)]
    for status in mixed:
        like(user=carol, status=status)
    browser = browser_of(carol)
    browser.get("/@carol/likes/")
    for status in mixed[::10]:
        delete_status(
            status=Status.objects.get(pk=status.id), by=User.objects.get(username="alice")
        )
    before = get_client().zcard(keys.own("likes", carol.pk))
    suspend(user=bob)
    left = [n for n in reversed(range(120)) if n % 2 == 0 and n % 10]
    shown = [numbers(page) for page in pages(browser, "/@carol/likes/")]
    assert [number for page in shown for number in page] == left
    assert [len(page) for page in shown[:-1]] == [PAGE_SIZE] * (len(shown) - 1)
    assert get_client().zcard(keys.own("likes", carol.pk)) == before, "nothing is dropped"
    drain()
    restore(user=bob)
    all_left = [n for n in reversed(range(120)) if n % 10]
    shown = [numbers(page) for page in pages(browser, "/@carol/likes/")]
    assert [number for page in shown for number in page] == all_left


def test_a_page_ends_early_rather_than_looking_for_ever(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_deeds, "ROUNDS", 2)
    monkeypatch.setattr(own_deeds, "MOST_AT_ONCE", 40)
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
        assert len(trips) <= 4, trips.sent


def test_others_see_their_own_marks_on_likes(alice: User, bob: User, carol: User) -> None:
    status = post(alice, "hello")
    like(user=carol, status=status)
    (shown,) = liked(carol, viewer=bob).statuses
    assert not shown.mine.liked
    (shown,) = liked(carol, viewer=carol).statuses
    assert shown.mine.liked
    assert bookmarked(carol).statuses == []


# Who liked, and who boosted.


def names(page: str) -> list[str]:
    return re.findall(r'<span class="person-login">@(\w+)</span>', page)


@pytest.mark.parametrize(("address", "deed"), [("likes", like), ("boosts", boost)])
def test_who_did_it_is_listed_the_newest_first_with_buttons(
    client: Client, alice: User, bob: User, carol: User, address: str, deed: type
) -> None:
    status = post(alice, "hello")
    for user in (bob, carol, alice):
        deed(user=user, status=status)
    follow(follower=bob, followee=carol)
    path = f"/@alice/{status.id}/{address}/"
    assert names(client.get(path).content.decode()) == ["alice", "carol", "bob"]
    page = browser_of(bob).get(path).content.decode()
    assert 'action="/@carol/unfollow/"' in page
    assert 'action="/@alice/unfollow/"' in page
    assert 'action="/@bob/follow/"' not in page


@pytest.mark.parametrize("address", ["likes", "boosts"])
def test_pages_of_people_lead_on_without_suspended_ones(
    client: Client, alice: User, address: str
) -> None:
    status = post(alice, "hello")
    people = [make_user(f"user{n}") for n in range(120)]
    for user in people:
        (like if address == "likes" else boost)(user=user, status=status)
    for user in people[::4]:
        suspend(user=user)
    shown = [names(page) for page in pages(client, f"/@alice/{status.id}/{address}/")]
    left = [f"user{n}" for n in reversed(range(120)) if n % 4]
    assert [name for page in shown for name in page] == left
    assert [len(page) for page in shown] == [50, 40]


@on_sqlite
@pytest.mark.parametrize(
    ("read", "index"),
    [
        (lambda: likers(7, viewer=None, max_id=9), "like_by_status"),
        (lambda: boosters(7, viewer=None, max_id=9), "status_boosts"),
        (lambda: own.in_sql("likes", 7), "like_by_user"),
        (lambda: own.in_sql("bookmarks", 7), "bookmark_by_user"),
    ],
)
def test_rows_are_read_by_index_in_their_order(
    transactional_db: None, read: Callable[[], object], index: str
) -> None:
    with CaptureQueriesContext(connection) as queries:
        read()
    (plan,) = [it for it in (plan_of(query["sql"]) for query in queries) if index in it]
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


def plan_of(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {query}")
        return str(cursor.fetchall())


def test_people_of_a_status_are_cheap(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    status = post(alice, "hello")
    for n in range(60):
        user = make_user(f"user{n}")
        like(user=user, status=status)
        boost(user=user, status=status)
    browser = browser_of(bob)
    for address in (f"/@alice/{status.id}/likes/", f"/@alice/{status.id}/boosts/"):
        browser.get(address)
        with counting_round_trips() as trips, django_assert_num_queries(3):
            assert len(names(browser.get(address).content.decode())) == 50
        assert len(trips) <= 5, trips.sent


@pytest.mark.parametrize("address", ["likes", "boosts", "history"])
def test_pages_about_a_status_are_there_for_who_may_see_it(
    client: Client, alice: User, carol: User, address: str
) -> None:
    status = post(alice, "hello")
    path = f"/@alice/{status.id}/{address}/"
    assert client.get(path).status_code == 200
    assert client.get(f"/@carol/{status.id}/{address}/").status_code == 404
    assert client.get(f"/@ALICE/{status.id}/{address}/")["Location"] == path
    assert client.get(f"/@alice/4711/{address}/").status_code == 404
    assert client.post(path).status_code == 405
    suspend(user=alice)
    assert client.get(path).status_code == 404
    restore(user=alice)
    delete_status(status=Status.objects.get(), by=alice)
    assert client.get(path).status_code == 404


def test_nobody_did_it_yet(client: Client, alice: User) -> None:
    status = post(alice, "hello")
    page = client.get(f"/@alice/{status.id}/likes/").content.decode()
    assert "Nobody has liked this post yet" in page
    page = client.get(f"/@alice/{status.id}/boosts/").content.decode()
    assert "Nobody has boosted this post yet" in page


# How often.


@pytest.mark.parametrize(
    ("kind", "path", "fields"),
    [
        ("post", "/statuses/", {"text": "again"}),
        ("edit", "/statuses/{}/edit/", {"text": "again"}),
        ("like", "/statuses/{}/like/", {}),
        ("boost", "/statuses/{}/boost/", {}),
        ("bookmark", "/statuses/{}/bookmark/", {}),
        ("undo", "/statuses/{}/unlike/", {}),
        ("undo", "/statuses/{}/unboost/", {}),
        ("undo", "/statuses/{}/unbookmark/", {}),
        ("follow", "/@bob/follow/", {}),
        ("unfollow", "/@bob/unfollow/", {}),
        ("boosts_hidden", "/@bob/hide_boosts/", {}),
        ("boosts_hidden", "/@bob/show_boosts/", {}),
    ],
)
@pytest.mark.parametrize("pace", [throttling.Pace(1), throttling.Pace(100, per_minute=1)])
def test_too_much_in_an_hour_or_a_minute_has_to_wait(
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    kind: throttling.Writing,
    path: str,
    fields: dict[str, str],
    pace: throttling.Pace,
) -> None:
    monkeypatch.setitem(throttling.PACES, kind, pace)
    status = post(alice, "hello")
    browser, address = browser_of(alice), path.format(status.id)
    assert browser.post(address, fields).status_code == 302
    before = state(alice)
    answer = browser.post(address, fields | {"next": "/@bob/"})
    assert answer.status_code == 429
    longest = 60 if pace.per_minute else 3600
    assert 0 < int(answer["Retry-After"]) <= longest
    assert 'href="/@bob/">Go back' in answer.content.decode()
    assert state(alice) == before
    other = browser_of(bob).post(f"/statuses/{status.id}/like/")
    assert other.status_code == 302, "everybody has a pace of their own"


def state(user: User) -> Sequence[object]:
    user.refresh_from_db()
    return [user.statuses_count, user.following_count, *Status.objects.values_list("edited_at")]


def test_who_did_too_much_can_still_undo_it(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = posts(alice, 2)
    browser = browser_of(carol)
    for deed in ("like", "boost", "bookmark"):
        monkeypatch.setitem(throttling.PACES, deed, throttling.Pace(1))
        assert browser.post(f"/statuses/{first.id}/{deed}/").status_code == 302
        assert browser.post(f"/statuses/{second.id}/{deed}/").status_code == 429
        assert browser.post(f"/statuses/{first.id}/un{deed}/").status_code == 302
    assert not any(own.rows_in_sql(it, carol.pk, among=[first.id, second.id]) for it in own.DEEDS)


def test_more_can_be_undone_than_done() -> None:
    paces = throttling.PACES
    done = [paces["like"], paces["boost"], paces["bookmark"]]
    assert paces["undo"].limit >= sum(it.limit for it in done)
    assert paces["undo"].per_minute >= sum(it.per_minute for it in done)


def test_a_refused_deed_does_not_count(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "like", throttling.Pace(1))
    status, browser = post(alice, "hello"), browser_of(carol)
    assert browser.post("/statuses/4711/like/").status_code == 404
    assert browser.post(f"/statuses/{status.id}/like/").status_code == 302


def test_likes_are_ordered_by_time_and_not_by_status(alice: User, carol: User) -> None:
    """Ids of likes are made like those of statuses, by a sequence of their own."""
    old, new = posts(alice, 2)
    like(user=carol, status=new)
    like(user=carol, status=old)
    assert [entry.id for entry in liked(carol, viewer=None).statuses] == [old.id, new.id]
    newest = Like.objects.order_by("-id")[0]
    assert newest.status_id == old.id
    assert like_ids.next(get_client()) > newest.pk
