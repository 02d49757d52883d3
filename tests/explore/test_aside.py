"""The panels beside a page: trending tags, and whom to follow."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from redistools import keys
from redistools.client import get_client
from relations import suggestions as module
from relations.blocks_and_mutes.services import block, mute
from relations.services import follow
from relations.suggestions import suggestions
from relations.tasks import find_popular
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import delete_account, silence, suspend
from users.tasks import refresh_user


def suggested(viewer: User | None) -> list[str]:
    return [person.username for person in suggestions(viewer, limit=9).shown]


def test_friends_of_friends_come_before_popular_and_new_accounts(
    alice: User, bob: User, carol: User
) -> None:
    """Bob follows alice, who follows erin."""
    make_user("dave", followers_count=50)
    erin = make_user("erin")
    follow(follower=alice, followee=erin)
    find_popular.call()
    assert suggested(bob) == ["erin", "dave", "carol"]


def test_what_is_kept_leaves_out_whom_the_reader_followed_blocked_or_muted_since(
    alice: User, carol: User
) -> None:
    people = {name: make_user(name) for name in ("dave", "erin", "fay", "gus", "hal", "ida")}
    assert set(suggested(alice)) == {"carol", *people}
    follow(follower=alice, followee=carol)
    block(blocker=alice, blocked=people["dave"])
    block(blocker=people["erin"], blocked=alice)
    mute(user=alice, muted=people["fay"])
    suspend(user=people["gus"])
    silence(user=people["hal"])
    delete_account(user=people["ida"])
    assert suggested(alice) == []


def test_who_was_asked_is_not_suggested(alice: User, carol: User) -> None:
    User.objects.filter(pk=carol.pk).update(is_private=True)
    refresh_user.call(carol.pk)
    assert suggested(alice) == ["carol"]
    carol.refresh_from_db()
    follow(follower=alice, followee=carol)
    assert suggested(alice) == []


def test_suggestions_are_worked_out_only_now_and_then(
    alice: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert suggested(alice) == ["carol"]
    make_user("dave")
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert suggested(alice) == ["carol"]
    assert len(trips) == 2, trips.sent
    assert 0 < get_client().ttl(keys.suggested(alice.pk)) <= module.KEPT_SECONDS
    module.forget(alice.pk)
    assert set(suggested(alice)) == {"carol", "dave"}


def test_suggestions_survive_that_redis_lost_its_people(alice: User, carol: User) -> None:
    suggested(alice)
    get_client().delete(keys.user(carol.pk), keys.following(alice.pk))
    assert suggested(alice) == ["carol"]


def test_the_panels_show_tags_and_people(alice: User, bob: User, carol: User) -> None:
    post_status(author=alice, text="#Tea")
    drain()
    page = browser_of(bob).get(
        "/aside/", headers={"HX-Current-URL": "http://testserver/@alice/?x=1"}
    )
    text = page.content.decode()
    assert "Who to follow" in text
    assert 'action="/@carol/follow/"' in text
    assert 'name="next" value="/@alice/?x=1"' in text
    assert "/tags/tea/" in text
    assert "1 person today" in text
    assert "<html" not in text
    assert {"no-cache", "private"} <= set(page["Cache-Control"].split(", "))


@pytest.mark.parametrize(
    "asked_from",
    ["", "//evil.example/", "https://x.example//evil.example/", "http://[", "javascript:x"],
)
def test_buttons_lead_to_no_other_site(alice: User, carol: User, asked_from: str) -> None:
    page = browser_of(alice).get("/aside/", headers={"HX-Current-URL": asked_from})
    assert 'name="next" value="/"' in page.content.decode()


def test_visitors_are_sent_to_log_in(alice: User, client: Client) -> None:
    page = client.get("/aside/")
    assert "/login/?next=/@alice/" in page.content.decode()
    assert "csrfmiddlewaretoken" not in page.content.decode()
    assert not page.cookies


def test_without_anything_to_show_there_are_no_panels(
    transactional_db: None, client: Client
) -> None:
    assert client.get("/aside/").content.decode().strip() == ""


def test_the_panels_cost_four_round_trips_and_one_query(
    alice: User, bob: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = browser_of(bob)
    browser.get("/aside/")
    with counting_round_trips() as trips, django_assert_num_queries(1):
        browser.get("/aside/")
    assert len(trips) == 4, trips.sent
