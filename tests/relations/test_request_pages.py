"""Asking to follow a private account, and what the account does about it."""

import re
from functools import partial

import pytest
from django.test import Client
from pytest_django import Settings

from configuration.current import site
from notifications.models import Notification
from redistools.client import get_client
from relations.models import Follow, FollowRequest, follow_ids
from relations.services import accept, follow, refuse, unfollow
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, clicks, make_user
from tests.notifications.reading import Told, assert_sound, at_once, told
from users import store, throttling
from users.audience import Visibility
from users.models import User
from users.services import change_privacy, delete_account, suspend
from web.refusals import Refusal

REQUESTS = "/follow_requests/"


@pytest.fixture
def pat(transactional_db: None) -> User:
    return make_user("pat", is_private=True)


@pytest.fixture
def asked(carol: User, pat: User) -> User:
    """carol has asked to follow pat."""
    follow(follower=carol, followee=pat)
    return pat


def names(browser: Client, address: str = REQUESTS) -> list[str]:
    page = browser.get(address).content.decode()
    main = page[page.index("<main") :]
    return re.findall(r'<span class="person-login">@(\w+)</span>', main)


def follows(follower: User, followee: User) -> bool:
    return Follow.objects.filter(follower=follower, followee=followee).exists()


def button(reader: User, account: User) -> str:
    page = browser_of(reader).get(f"/@{account.username}/").content.decode()
    found = re.search(r'<form class="follow".*?<button[^>]*>(.*?)</button>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split()) if found else ""


def test_the_button_says_where_the_request_is(carol: User, pat: User) -> None:
    browser = browser_of(carol)
    assert button(carol, pat) == "Follow @pat"
    assert browser.post("/@pat/follow/")["Location"] == "/@pat/"
    assert button(carol, pat) == "Requested Cancel @pat"
    browser.post("/@pat/follow/")
    assert FollowRequest.objects.count() == 1
    browser_of(pat).post("/@carol/accept/")
    assert button(carol, pat) == "Following Unfollow @pat"
    browser.post("/@pat/unfollow/")
    browser.post("/@pat/follow/")
    browser.post("/@pat/unfollow/")
    assert button(carol, pat) == "Follow @pat"
    assert not FollowRequest.objects.exists()


def test_pages_of_people_show_whom_one_has_asked(carol: User, asked: User, alice: User) -> None:
    follow(follower=asked, followee=alice)
    page = browser_of(carol).get("/@alice/followers/").content.decode()
    assert page.count("Requested</span>") == 1


def test_requests_are_listed_newest_first_and_accepted_or_refused(
    carol: User, asked: User, bob: User
) -> None:
    follow(follower=bob, followee=asked)
    browser = browser_of(asked)
    assert names(browser) == ["bob", "carol"]
    assert browser.post("/@carol/accept/")["Location"] == REQUESTS
    assert browser.post("/@bob/refuse/")["Location"] == REQUESTS
    assert names(browser) == []
    assert "Nobody is waiting" in browser.get(REQUESTS).content.decode()
    assert (follows(carol, asked), follows(bob, asked)) == (True, False)
    for address in ("/@carol/accept/", "/@bob/refuse/", "/@bob/accept/"):
        assert browser.post(address).status_code == 302, "twice changes nothing"
    assert not follows(bob, asked)


def test_requests_are_paged(pat: User) -> None:
    people = User.objects.bulk_create(
        User(username=f"fan{n}", email="fan@example.com") for n in range(60)
    )
    FollowRequest.objects.bulk_create(
        FollowRequest(id=follow_ids.next(get_client()), follower=it, followee=pat) for it in people
    )
    browser = browser_of(pat)
    first = names(browser)
    page = browser.get(REQUESTS).content.decode()
    older = re.search(r'href="(/follow_requests/\?max_id=\d+)"', page)
    assert older
    assert [*first, *names(browser, older[1])] == [f"fan{n}" for n in reversed(range(60))]
    assert browser.get(f"{REQUESTS}?max_id=x").status_code == 400


def test_only_the_account_that_was_asked_can_accept(carol: User, asked: User, bob: User) -> None:
    assert browser_of(bob).post("/@carol/accept/").status_code == 302
    assert browser_of(carol).post("/@pat/accept/").status_code == 302
    assert FollowRequest.objects.count() == 1
    assert not follows(carol, asked)


@pytest.mark.parametrize("address", ["/@carol/accept/", "/@carol/refuse/", "/@carol/block/"])
def test_buttons_need_a_post_a_member_and_a_token(
    client: Client, carol: User, pat: User, address: str
) -> None:
    assert browser_of(pat).get(address).status_code == 405
    assert client.post(address)["Location"].startswith("/login/")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(pat)
    assert strict.post(address).status_code == 403
    assert browser_of(pat).post(address.replace("carol", "nobody")).status_code == 404


def test_visitors_have_no_requests(client: Client, db: None) -> None:
    assert client.get(REQUESTS)["Location"] == f"/login/?next={REQUESTS}"


def test_suspended_people_do_not_wait(carol: User, asked: User) -> None:
    suspend(user=carol)
    assert names(browser_of(asked)) == []
    assert browser_of(asked).post("/@carol/accept/").status_code == 404


def test_somebody_who_follows_too_many_can_not_be_accepted(
    carol: User, asked: User, settings: Settings
) -> None:
    settings.MAX_FOLLOWING = 0
    answer = browser_of(asked).post("/@carol/accept/")
    assert answer.status_code == 400
    assert FollowRequest.objects.count() == 1
    with pytest.raises(Refusal, match="follows too many"):
        accept(follower=carol, followee=asked)


def test_two_clicks_accept_once(carol: User, asked: User) -> None:
    browsers = [browser_of(asked) for _ in range(4)]
    assert set(clicks(browsers, "/@carol/accept/")) == {302}
    assert Follow.objects.filter(followee=asked).count() == 1
    asked.refresh_from_db()
    assert asked.followers_count == 1
    assert store.read_users([asked.pk])[asked.pk].followers == 1


def test_too_many_decisions_have_to_wait(asked: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttling, "PACES", dict.fromkeys(throttling.PACES, throttling.Pace(1)))
    browser = browser_of(asked)
    assert browser.post("/@carol/refuse/").status_code == 302
    assert browser.post("/@carol/refuse/").status_code == 429


def test_a_request_is_told_and_taken_back(carol: User, asked: User, bob: User) -> None:
    assert told(asked) == [Told("request", ["carol"])]
    follow(follower=bob, followee=asked)
    assert told(asked) == [Told("request", ["bob", "carol"])]
    page = browser_of(asked).get("/notifications/").content.decode()
    assert 'asked to follow <a href="/follow_requests/">you</a>' in page
    assert "2 people ask to follow you" in page
    unfollow(follower=bob, followee=asked)
    assert told(asked) == [Told("request", ["carol"])]
    assert (
        "1 person asks to follow you" in browser_of(asked).get("/notifications/").content.decode()
    )
    refuse(follower=carol, followee=asked)
    assert told(asked) == []
    assert not Notification.objects.filter(kind="request").exists()


def test_an_accepted_request_becomes_a_follow(carol: User, asked: User) -> None:
    assert told(asked) == [Told("request", ["carol"])]
    accept(follower=carol, followee=asked)
    assert told(asked) == [Told("follow", ["carol"])]
    assert_sound()


def test_somebody_who_leaves_takes_the_request_along(carol: User, asked: User) -> None:
    assert told(asked) == [Told("request", ["carol"])]
    delete_account(user=carol)
    assert told(asked) == []
    assert_sound()


def test_requests_can_be_switched_off(carol: User, pat: User) -> None:
    kinds = ["mention", "reply", "boost", "like", "follow", "edit"]
    browser_of(pat).post("/settings/notifications/", {"kinds": kinds})
    follow(follower=carol, followee=pat)
    assert told(pat) == []


def test_followers_can_be_removed(alice: User, bob: User, carol: User) -> None:
    page = browser_of(alice).get("/@alice/followers/").content.decode()
    assert 'action="/@bob/remove_follower/"' in page
    assert "remove_follower" not in browser_of(bob).get("/@alice/followers/").content.decode()
    answer = browser_of(alice).post("/@bob/remove_follower/", {"next": "/@alice/followers/"})
    assert answer["Location"] == "/@alice/followers/"
    assert not follows(bob, alice)
    assert browser_of(alice).post("/@bob/remove_follower/").status_code == 302
    assert names(browser_of(alice), "/@alice/followers/") == []


PRIVACY = "/settings/privacy/"


def test_privacy_is_chosen_on_its_page(alice: User) -> None:
    browser = browser_of(alice)
    assert f'href="{PRIVACY}"' in browser.get("/settings/").content.decode()
    assert browser.get(PRIVACY).status_code == 200
    answer = browser.post(PRIVACY, {"is_private": "on", "default_visibility": "2"})
    assert (answer.status_code, answer["Location"]) == (302, PRIVACY)
    alice.refresh_from_db()
    assert (alice.is_private, alice.default_visibility) == (True, Visibility.FOLLOWERS)
    person = store.read_users([alice.pk])[alice.pk]
    assert (person.private, person.limited) == (True, True)
    assert browser.get(PRIVACY).content.decode().count("checked") == 2


@pytest.mark.parametrize("visibility", ["", "3", "9", "x"])
def test_privacy_that_is_refused_stays_as_it_was(alice: User, visibility: str) -> None:
    answer = browser_of(alice).post(PRIVACY, {"is_private": "on", "default_visibility": visibility})
    assert answer.status_code == 400
    alice.refresh_from_db()
    assert (alice.is_private, alice.default_visibility) == (False, Visibility.PUBLIC)


def test_what_a_private_account_says_is_for_followers_at_once(
    alice: User, bob: User, carol: User, client: Client
) -> None:
    status = post_status(author=alice, text="tea at five")
    follow(follower=alice, followee=carol)
    change_privacy(user=alice, is_private=True, default_visibility=Visibility.PUBLIC)
    for browser in (client, browser_of(carol)):
        page = browser.get("/@alice/").content.decode()
        assert "tea at five" not in page
        assert "Only followers of @alice can see their posts" in page
        assert "/likes/" not in page
        assert browser.get(f"/@alice/{status.pk}/").status_code == 404
        for address in ("/@alice/followers/", "/@alice/following/"):
            answer = browser.get(address)
            assert answer.status_code == 403
            assert "@bob" not in answer.content.decode()
        assert browser.get("/@alice/likes/").status_code == 404
        assert "tea at five" not in browser.get("/explore/newest/").content.decode()
    for reader in (bob, alice):
        browser = browser_of(reader)
        assert "tea at five" in browser.get("/@alice/").content.decode()
        assert "@bob" in browser.get("/@alice/followers/").content.decode()
        assert browser.get("/@alice/likes/").status_code == 200
    assert follows(bob, alice), "followers stay"


def test_opening_an_account_accepts_all_who_wait(asked: User, carol: User, bob: User) -> None:
    follow(follower=bob, followee=asked)
    change_privacy(user=asked, is_private=False, default_visibility=Visibility.PUBLIC)
    drain()
    assert (follows(carol, asked), follows(bob, asked)) == (True, True)
    assert not FollowRequest.objects.exists()
    asked.refresh_from_db()
    assert asked.followers_count == 2
    assert told(asked) == [Told("follow", ["bob", "carol"])]
    assert_sound()


def test_many_who_wait_are_accepted_link_by_link(
    pat: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relations.tasks.LINK_SIZE", 2)
    for number in range(5):
        follow(follower=make_user(f"fan{number}"), followee=pat)
    User.objects.filter(username="fan3").update(following_count=site().most_following)
    change_privacy(user=pat, is_private=False, default_visibility=Visibility.PUBLIC)
    drain()
    rows = Follow.objects.filter(followee=pat).order_by("pk")
    assert [row.follower.username for row in rows] == ["fan0", "fan1", "fan2", "fan4"]
    assert not FollowRequest.objects.exists()


def test_an_account_that_is_private_again_keeps_its_requests(asked: User, carol: User) -> None:
    change_privacy(user=asked, is_private=False, default_visibility=Visibility.PUBLIC)
    change_privacy(user=asked, is_private=True, default_visibility=Visibility.PUBLIC)
    drain()
    assert FollowRequest.objects.count() == 1
    assert not follows(carol, asked)


def test_nobody_who_asks_while_an_account_opens_is_left_waiting(pat: User) -> None:
    fans = [make_user(f"fan{number}") for number in range(6)]
    jobs = [partial(follow, follower=fan, followee=pat) for fan in fans]
    opens = partial(change_privacy, user=pat, is_private=False, default_visibility=0)
    at_once(*jobs[:3], opens, *jobs[3:])
    drain()
    assert not FollowRequest.objects.exists()
    assert Follow.objects.filter(followee=pat).count() == len(fans)
    assert_sound()


def test_a_request_that_is_accepted_and_withdrawn_at_once_is_one_or_the_other(
    carol: User, asked: User
) -> None:
    pair = {"follower": carol, "followee": asked}
    at_once(*[partial(accept, **pair), partial(unfollow, **pair), partial(refuse, **pair)] * 2)
    drain()
    assert not FollowRequest.objects.exists()
    asked.refresh_from_db()
    assert asked.followers_count == Follow.objects.filter(followee=asked).count()
    assert_sound()
