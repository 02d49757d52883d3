"""Liking, boosting and bookmarking by the buttons beneath a status."""

import pytest
from django.test import Client

from statuses.models import Like, Status
from statuses.reactions import store as reaction_store
from statuses.reactions.rows import REACTIONS
from statuses.reactions.services import boost, like
from statuses.services import delete_status
from tests.cast import browser_of, clicks
from tests.statuses.reading_reactions import post
from users.models import User
from users.services import restore, suspend

ADDRESSES = ("like", "unlike", "boost", "unboost", "bookmark", "unbookmark")
each_address = pytest.mark.parametrize("address", ADDRESSES)


@pytest.mark.parametrize(
    ("do", "undo", "word"),
    [
        ("like", "unlike", "Like"),
        ("boost", "unboost", "Boost"),
        ("bookmark", "unbookmark", "Bookmark"),
    ],
)
def test_a_button_does_it_and_the_same_button_undoes_it(
    alice: User, bob: User, do: str, undo: str, word: str
) -> None:
    status = post(alice, "hello")
    browser = browser_of(bob)
    for wanted, instead in ((do, undo), (undo, do)):
        page = browser.get("/").content.decode()
        assert f'formaction="/statuses/{status.id}/{wanted}/"' in page
        answer = browser.post(f"/statuses/{status.id}/{wanted}/", {"next": "/?max_id=9"})
        assert answer.status_code == 302
        assert answer["Location"] == f"/?max_id=9#status-{status.id}"
        page = browser.get("/").content.decode()
        pressed = "true" if wanted == do else "false"
        button = page[page.index(f'formaction="/statuses/{status.id}/{instead}/"') :]
        button = button[: button.index("</button>")]
        assert f"aria-pressed={pressed}" in button
        assert word in button


def test_counts_stand_beneath_a_status(client: Client, alice: User, bob: User, carol: User) -> None:
    status = post(alice, "hello")
    for user in (bob, carol):
        like(user=user, status=status)
    boost(user=bob, status=status)
    page = client.get(f"/@alice/{status.id}/").content.decode()
    assert f'href="/@alice/{status.id}/likes/"><b>2</b> likes</a>' in page
    assert f'href="/@alice/{status.id}/boosts/"><b>1</b> boost</a>' in page
    assert page.count("?next=") == 4, (
        "to log in and reply, boost or like; nothing is written for a link that is not there"
    )
    quiet = post(alice, "quiet")
    assert "likes/" not in client.get(f"/@alice/{quiet.id}/").content.decode().split("<main")[1]


def test_the_actions_end_with_their_last_one(alice: User, bob: User) -> None:
    post(alice, "hello")
    for reader in (alice, bob):
        page = browser_of(reader).get("/").content.decode()
        actions = page.split('<div class="status-actions">')[1]
        assert "menu/" in actions[: actions.index("</article>")]
        assert actions[: actions.index("</article>")].replace("\n", "").endswith("</div></div>")


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
    for reaction in ("like", "boost", "bookmark"):
        browser.post(f"/statuses/{passed_on}/{reaction}/")
    for kind in REACTIONS:
        assert reaction_store.rows_in_sql(kind, carol.pk, among=[status.id])
    for reaction in ("like", "boost", "bookmark"):
        browser.post(f"/statuses/{passed_on}/un{reaction}/")
    for kind in REACTIONS:
        assert not reaction_store.rows_in_sql(kind, carol.pk, among=[status.id])
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
    for reaction in ("like", "boost", "bookmark"):
        browsers = [browser_of(carol) for _ in range(4)]
        assert clicks(browsers, f"/statuses/{status.id}/{reaction}/") == [302] * 4
    row = Status.objects.get(pk=status.id)
    assert (row.likes_count, row.boosts_count) == (1, 1)
