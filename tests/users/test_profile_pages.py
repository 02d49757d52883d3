"""Profiles, followers and following through the pages."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from relations import selectors
from relations.models import Follow
from relations.services import follow
from statuses.services import post_status
from tests.cast import browser_of, clicks, make_user
from users import throttling
from users.models import User
from users.services import change_profile, suspend

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> User:
    return make_user("alice", name="Alice Liddell", bio="Down the\nrabbit hole.")


def test_a_profile_shows_who_one_is_and_what_one_says(
    client: Client, alice: User, bob: User
) -> None:
    post_status(author=alice, text="curiouser and curiouser")
    page = client.get("/@alice/").content.decode()
    assert "<title>Alice Liddell (@alice) · Socialsite</title>" in page
    assert "Down the<br>rabbit hole." in page
    joined = (
        f'<time datetime="{alice.date_joined:%Y-%m-%d}">Joined {alice.date_joined:%B %Y}</time>'
    )
    assert joined in page
    assert '<span class="subtitle">1 post</span>' in page
    assert "<b>0</b> following</a>" in page
    assert "<b>1</b> follower</a>" in page
    assert "curiouser and curiouser" in page


def test_each_sees_the_button_that_fits(
    client: Client, alice: User, bob: User, carol: User
) -> None:
    def profile(browser: Client) -> str:
        return browser.get("/@alice/").content.decode()

    assert 'href="/login/?next=/%40alice/">Follow' in profile(client)
    assert "Edit profile" in profile(browser_of(alice))
    assert 'action="/@alice/unfollow/"' in profile(browser_of(bob))
    assert 'action="/@alice/follow/"' in profile(browser_of(carol))


def test_only_the_owner_posts_from_a_profile(alice: User, bob: User) -> None:
    assert b"What&#x27;s happening?" in browser_of(alice).get("/@alice/").content
    assert b"What&#x27;s happening?" not in browser_of(bob).get("/@alice/").content


@pytest.mark.parametrize("page", ["", "followers/", "following/"])
def test_a_name_has_one_address(client: Client, page: str) -> None:
    make_user("Alice")
    for name in ("alice", "ALICE"):
        answer = client.get(f"/@{name}/{page}?max_id=7")
        assert answer.status_code == 301
        assert answer["Location"] == f"/@Alice/{page}?max_id=7"
    assert client.get(f"/@Alice/{page}").status_code == 200
    assert client.get("/@Alice")["Location"] == "/@Alice/"


@pytest.mark.parametrize("page", ["", "followers/", "following/"])
@pytest.mark.parametrize("name", ["nobody_", "a" * 31, "al-ice", "%00", "al%2Fice", "é"])
def test_without_an_account_there_is_no_page(client: Client, name: str, page: str) -> None:
    assert client.get(f"/@{name}/{page}").status_code == 404


def test_a_suspended_account_is_not_there(client: Client, alice: User, carol: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    for page in ("", "followers/", "following/"):
        assert client.get(f"/@alice/{page}").status_code == 404
    assert browser_of(carol).post("/@alice/follow/").status_code == 404
    assert not Follow.objects.exists()


def test_a_profile_without_statuses_says_what_next(client: Client, alice: User, bob: User) -> None:
    assert b"Write your first post above" in browser_of(alice).get("/@alice/").content
    assert b"You follow them" in browser_of(bob).get("/@alice/").content
    assert b"Follow them to see their posts" in client.get("/@alice/").content


def test_following_and_unfollowing(alice: User, carol: User) -> None:
    browser = browser_of(carol)
    answer = browser.post("/@ALICE/follow/")
    assert (answer.status_code, answer["Location"]) == (302, "/@alice/")
    assert Follow.objects.filter(follower=carol, followee=alice).exists()
    answer = browser.post("/@alice/unfollow/", {"next": "/explore/?max_id=5"})
    assert answer["Location"] == "/explore/?max_id=5#person-alice"
    assert not Follow.objects.exists()
    assert browser.post("/@alice/unfollow/").status_code == 302


def test_without_scripts_a_follow_says_what_happened_in_the_same_place(
    alice: User, carol: User
) -> None:
    browser = browser_of(carol)
    page = browser.get("/explore/").content.decode()
    assert '<li id="person-alice">' in page
    buttons = page.count('class="follow"') + page.count('class="dismiss"')
    assert page.count('name="next" value="/explore/#people"') == buttons > 1
    answer = browser.post("/@alice/follow/", {"next": "/explore/#people"})
    assert answer["Location"] == "/explore/#people"
    assert "You follow @alice now." in browser.get("/explore/").content.decode()
    browser.post("/@alice/unfollow/")
    assert "You don&#x27;t follow @alice any more." in browser.get("/").content.decode()
    User.objects.filter(pk=alice.pk).update(is_private=True)
    browser.post("/@alice/follow/")
    assert "You asked to follow @alice." in browser.get("/").content.decode()
    browser.post("/@alice/unfollow/")
    assert "You took back your request to follow @alice." in browser.get("/").content.decode()
    browser.post("/@alice/follow/", headers={"HX-Request": "true"})
    assert "@alice." not in browser.get("/").content.decode()


def test_a_double_click_follows_once(alice: User, carol: User) -> None:
    browsers = [browser_of(carol) for _ in range(4)]
    assert clicks(browsers, "/@alice/follow/") == [302] * 4
    alice.refresh_from_db()
    assert (Follow.objects.count(), alice.followers_count) == (1, 1)


def test_nobody_follows_themselves(alice: User) -> None:
    answer = browser_of(alice).post("/@alice/follow/")
    assert answer.status_code == 400
    assert "You can&#x27;t follow yourself." in answer.content.decode()


def test_who_follows_the_most_is_told(alice: User, carol: User, settings: Settings) -> None:
    settings.MAX_FOLLOWING = 1
    browser = browser_of(carol)
    browser.post("/@alice/follow/")
    make_user("dave")
    answer = browser.post("/@dave/follow/")
    assert answer.status_code == 400
    assert "You follow 1 accounts, the maximum." in answer.content.decode()


def test_who_follows_too_quickly_has_to_wait(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(throttling.PACES, "follow", throttling.Pace(1, throttling.DAY))
    make_user("dave")
    browser = browser_of(bob)
    assert browser.post("/@dave/follow/").status_code == 302
    answer = browser.post("/@alice/follow/", {"next": "/explore/"})
    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 80_000
    assert b'href="/explore/">Go back' in answer.content
    assert browser.post("/@dave/unfollow/").status_code == 302


@pytest.mark.parametrize("way", ["follow", "unfollow"])
def test_only_members_follow_and_only_by_post(client: Client, alice: User, way: str) -> None:
    answer = client.post(f"/@alice/{way}/", {"next": "/@alice/"})
    assert answer["Location"] == "/login/?next=/%40alice/"
    assert client.get(f"/@alice/{way}/").status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(make_user("dave"))
    assert strict.post(f"/@alice/{way}/").status_code == 403
    assert not Follow.objects.exists()


@pytest.mark.parametrize("page", ["", "followers/", "following/"])
def test_pages_of_people_are_only_read_and_know_their_cursors(
    client: Client, alice: User, page: str
) -> None:
    assert client.post(f"/@alice/{page}").status_code == 405
    assert client.get(f"/@alice/{page}?max_id=x").status_code == 400


def test_followers_are_listed_with_buttons(alice: User, bob: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    follow(follower=carol, followee=bob)
    page = browser_of(carol).get("/@alice/followers/").content.decode()
    assert page.index("@carol</span>") < page.index("@bob</span>")
    assert 'action="/@bob/unfollow/"' in page
    assert "/@carol/follow/" not in page
    following = browser_of(bob).get("/@carol/following/").content.decode()
    assert 'action="/@alice/unfollow/"' in following
    assert "/@bob/follow/" not in following


def test_many_followers_come_in_pages(
    client: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"fan{n}" for n in range(5)]
    for name in names:
        follow(follower=make_user(name), followee=alice)
    monkeypatch.setattr(selectors, "PEOPLE_PER_PAGE", 2)
    pages = [client.get("/@alice/followers/")]
    while older := pages[-1].context["people"].older:
        assert f'href="/@alice/followers/?max_id={older}"' in pages[-1].content.decode()
        pages.append(client.get(f"/@alice/followers/?max_id={older}"))
    seen = [[person.username for person in page.context["people"].shown] for page in pages]
    assert seen == [["fan4", "fan3"], ["fan2", "fan1"], ["fan0"]]


def test_empty_pages_say_what_next(client: Client, alice: User, carol: User) -> None:
    assert b"You could be the first." in client.get("/@carol/followers/").content
    assert b"some will follow back" in browser_of(carol).get("/@carol/followers/").content
    assert b'href="/explore/">Find people' in browser_of(carol).get("/@carol/following/").content


def test_names_and_biographies_are_no_markup(client: Client, alice: User, bob: User) -> None:
    attack = "<script>alert(1)</script>"
    for user in (alice, bob):
        change_profile(user=user, name=attack, bio=attack)
    for page in ("/@alice/", "/@alice/followers/", "/@bob/following/", "/explore/"):
        html = client.get(page).content.decode()
        assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2
        assert "<script>" not in html


@pytest.mark.parametrize(
    ("bio", "html"),
    [
        (
            "tea at www.example.com",
            '<a href="http://www.example.com" rel="nofollow noopener noreferrer ugc">',
        ),
        ("I like #Tea", '<a class="hashtag" href="/tags/tea/">#Tea</a>'),
        ("sister of @Bob", '<a class="mention" href="/@Bob/">@Bob</a>'),
        ("not @nobody_", "not @nobody_<"),
        ("not <b>@bob</b>", '&lt;b&gt;<a class="mention" href="/@bob/">@bob</a>&lt;/b&gt;'),
        ("no javascript:alert(1)", "no javascript:alert(1)<"),
    ],
)
def test_a_bio_leads_to_what_it_names(
    client: Client, alice: User, bob: User, bio: str, html: str
) -> None:
    change_profile(user=alice, name="Alice", bio=bio)
    assert html in client.get("/@alice/").content.decode()


def test_a_bio_does_not_lead_to_a_suspended_account(client: Client, alice: User, bob: User) -> None:
    change_profile(user=alice, name="Alice", bio="sister of @bob")
    suspend(user=bob)
    assert "sister of @bob<" in client.get("/@alice/").content.decode()


def test_a_bio_that_names_nobody_costs_nothing(client: Client, alice: User) -> None:
    def queries(bio: str) -> int:
        change_profile(user=alice, name="Alice", bio=bio)
        # Pages with a query are not kept.
        client.get("/@alice/?fresh")
        with CaptureQueriesContext(connection) as made:
            client.get("/@alice/?fresh")
        return len(made)

    assert queries("#tea at example.com") == queries("")
    assert queries("with @bob and @carol") == queries("") + 1
