"""The first steps of a new account."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from relations.services import follow, unfollow
from statuses.services import post_status
from tags.services import MAX_TAGS, follow_tag
from tags.store import followed_names
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from users.first_steps import YOUNG, is_reminded, open_steps
from users.models import User
from users.services import change_profile

STEPS = ["profile", "interests", "people", "post"]
CARD = "Finish setting up"


def text_of(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def introduce(user: User) -> None:
    change_profile(user=user, name="Carol", bio="I sing.")


def test_steps_are_open_until_the_account_has_what_they_ask_for(alice: User, carol: User) -> None:
    assert open_steps(carol) == ["profile", "people", "post"]
    introduce(carol)
    follow(follower=carol, followee=alice)
    post_status(author=carol, text="hello")
    carol.refresh_from_db()
    assert open_steps(carol) == []


def test_the_way_leads_to_the_first_open_step(alice: User, carol: User) -> None:
    browser = browser_of(carol)
    assert browser.get("/welcome/")["Location"] == "/welcome/profile/"
    introduce(carol)
    assert browser.get("/welcome/")["Location"] == "/welcome/people/"
    follow(follower=carol, followee=alice)
    assert browser.get("/welcome/")["Location"] == "/welcome/post/"
    post_status(author=carol, text="hello")
    assert browser.get("/welcome/")["Location"] == "/"


@pytest.mark.parametrize(("number", "step"), [*enumerate(STEPS, start=1)])
def test_each_step_says_where_one_is_and_can_be_skipped(
    carol: User, number: int, step: str
) -> None:
    page = text_of(browser_of(carol), f"/welcome/{step}/")
    assert f"Step {number} of 4" in page
    following = f"/welcome/{STEPS[number]}/" if number < 4 else "/"
    assert f'href="{following}"' in page
    assert 'action="/welcome/dismiss/"' in page


def test_a_profile_is_saved_and_leads_on(carol: User) -> None:
    browser = browser_of(carol)
    answer = browser.post("/welcome/profile/", {"name": "Carol", "bio": "I sing."})
    assert answer["Location"] == "/welcome/interests/"
    carol.refresh_from_db()
    assert (carol.name, carol.bio) == ("Carol", "I sing.")
    assert browser.post("/welcome/profile/", {"name": "x" * 51, "bio": ""}).status_code == 400


def test_interests_are_followed_as_tags(alice: User, carol: User) -> None:
    post_status(author=alice, text="#Tea")
    drain()
    browser = browser_of(carol)
    assert 'value="tea"' in text_of(browser, "/welcome/interests/")
    answer = browser.post(
        "/welcome/interests/", {"tags": ["tea"], "others": "#Birds, chess  #birds ##!"}
    )
    assert answer["Location"] == "/welcome/people/"
    assert set(followed_names(carol.pk)) == {"tea", "birds", "chess"}
    assert 'value="tea" checked disabled' in text_of(browser, "/welcome/interests/")
    assert browser.post("/welcome/interests/", {}).status_code == 302
    assert browser.post("/welcome/interests/", {"tags": ["!"]}).status_code == 400


def test_interests_end_at_the_most_that_one_may_follow(carol: User) -> None:
    for number in range(MAX_TAGS - 1):
        follow_tag(user=carol, name=f"tag{number}")
    answer = browser_of(carol).post("/welcome/interests/", {"others": "one more two"})
    assert answer.status_code == 302
    assert len(followed_names(carol.pk)) == MAX_TAGS


def test_people_are_followed_in_place(alice: User, carol: User) -> None:
    browser = browser_of(carol)
    page = text_of(browser, "/welcome/people/")
    assert 'action="/@alice/follow/"' in page
    assert 'name="next" value="/welcome/people/"' in page
    answer = browser.post("/@alice/follow/", {"next": "/welcome/people/"})
    assert answer["Location"] == "/welcome/people/#person-alice"
    page = text_of(browser, "/welcome/people/")
    assert "You follow 1 person." in page
    assert 'action="/@alice/follow/"' not in page


def test_alone_on_a_site_one_is_told_so(carol: User) -> None:
    assert "No suggestions right now" in text_of(browser_of(carol), "/welcome/people/")


def test_the_first_post_does_not_end_the_welcome(alice: User, carol: User) -> None:
    """As long as they follow nobody, their home shows them a way on."""
    browser = browser_of(carol)
    post_status(author=carol, text="hello")
    page = text_of(browser, "/")
    assert "hello" in page
    assert CARD in page
    assert 'href="/welcome/"' in page
    introduce(carol)
    follow(follower=carol, followee=alice)
    assert CARD not in text_of(browser, "/")


def test_an_empty_home_leads_to_people(carol: User) -> None:
    page = text_of(browser_of(carol), "/")
    assert 'href="/welcome/people/"' in page


def test_the_card_can_be_put_away_for_good(alice: User, carol: User) -> None:
    browser = browser_of(carol)
    post_status(author=carol, text="hello")
    assert CARD in text_of(browser, "/")
    assert browser.get("/welcome/dismiss/").status_code == 405
    for _ in range(2):
        assert browser.post("/welcome/dismiss/", {"next": "/"})["Location"] == "/"
        assert CARD not in text_of(browser, "/")


def test_old_accounts_are_reminded_only_while_they_follow_nobody(alice: User, carol: User) -> None:
    carol.date_joined = timezone.now() - YOUNG - timedelta(days=1)
    assert is_reminded(carol)
    follow(follower=carol, followee=alice)
    carol.following_count = 1
    assert not is_reminded(carol)
    carol.date_joined = timezone.now()
    assert is_reminded(carol)


def test_the_card_costs_a_home_nothing(
    alice: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    post_status(author=carol, text="hello")
    browser = browser_of(carol)
    browser.get("/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        assert CARD in text_of(browser, "/")
    assert len(trips) <= 4, trips.sent


@pytest.mark.parametrize("address", ["/welcome/", *[f"/welcome/{step}/" for step in STEPS]])
def test_visitors_log_in_first(transactional_db: None, client: Client, address: str) -> None:
    assert client.get(address)["Location"] == f"/login/?next={address}"
    assert client.post("/welcome/dismiss/").status_code == 302


def test_somebody_who_unfollowed_everybody_is_welcome_again(carol: User) -> None:
    dave = make_user("dave")
    follow(follower=carol, followee=dave)
    unfollow(follower=carol, followee=dave)
    carol.refresh_from_db()
    assert "people" in open_steps(carol)
