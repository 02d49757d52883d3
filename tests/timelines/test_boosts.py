"""Boosts in timelines: shown as what they boost, once within a short way, and gone with it."""

import pytest
from django.test import Client

from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes.viewpoint import viewpoint_of
from relations.selectors import Relationship, relationship_with
from relations.services import follow, hide_boosts, unfollow
from statuses.models import Like, Status, like_ids
from statuses.reactions.services import boost, like, unboost
from statuses.removing import removal
from statuses.services import delete_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.round_trips import counting_round_trips
from tests.timelines.boosting import assert_sound, entries, said
from timelines.selectors import home, list_timeline, profile
from users.models import User
from users.services import restore, suspend
from users.store import read_users


def test_a_boost_shows_its_original_and_who_passed_it_on(
    alice: User, bob: User, carol: User
) -> None:
    """bob follows alice, who boosts what carol says."""
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    home(bob)
    status = said(carol, "tea")
    boost(user=alice, status=status)
    for timeline in (home(bob), home(alice), profile(alice), list_timeline(reading)):
        assert entries(timeline) == [("alice", "tea")]
        (entry,) = timeline
        assert (entry.status.id, entry.username) == (status.id, "carol")
        assert entry.id != status.id
    for reader, address in ((bob, "/"), (bob, "/@alice/"), (carol, f"/lists/{reading.pk}/")):
        page = browser_of(reader).get(address).content.decode()
        assert "<bdi>Alice Liddell</bdi></a> boosted" in page
        assert f'formaction="/statuses/{status.id}/like/"' in page
        assert f'href="/@carol/{status.id}/"' in page
    assert_sound()


def test_an_undone_boost_leaves_every_timeline(alice: User, bob: User, carol: User) -> None:
    home(bob)
    status = said(carol, "tea")
    boost(user=alice, status=status)
    assert entries(home(bob)) == [("alice", "tea")]
    assert unboost(user=alice, status_id=status.id)
    assert home(bob) == profile(alice) == home(alice) == []
    assert entries(profile(carol)) == [("", "tea")]
    boost(user=alice, status=status)
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_deleting_the_original_takes_its_boosts_along(
    alice: User, bob: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "PART", 2)
    fans = [make_user(f"fan{n}") for n in range(5)]
    status = said(carol, "tea")
    for user in (alice, bob, *fans):
        home(user)
        boost(user=user, status=status)
        like(user=user, status=status)
    delete_status(status=Status.objects.get(pk=status.id), by=carol)
    for user in (alice, bob, *fans):
        assert home(user) == profile(user) == [], "at once"
    drain()
    assert not Status.objects.exists()
    assert not Like.objects.exists()
    for user in (alice, bob, *fans):
        user.refresh_from_db()
        assert user.statuses_count == read_users([user.pk])[user.pk].posts == 0
        assert get_client().lrange(keys.home(user.pk), 0, -1) == ["0"]
    assert_sound()


def test_a_boost_of_a_suspended_author_is_hidden_until_they_are_back(
    alice: User, bob: User, carol: User
) -> None:
    boost(user=alice, status=said(carol, "tea"))
    suspend(user=carol)
    assert home(bob) == profile(alice) == []
    assert_sound()
    restore(user=carol)
    assert entries(home(bob)) == entries(profile(alice)) == [("alice", "tea")]


def test_a_boost_of_what_is_lost_in_redis_is_shown(alice: User, bob: User, carol: User) -> None:
    status = said(carol, "tea")
    boost(user=alice, status=status)
    home(bob)
    get_client().delete(keys.status(status.id))
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_a_home_page_with_boosts_costs_one_round_trip_more(
    alice: User, bob: User, carol: User
) -> None:
    for number in range(10):
        boost(user=alice, status=said(carol, f"{number}"))
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips:
        assert browser.get("/").content.decode().count("boosted</span></p>") == 10
    assert len(trips) <= 5, trips.sent


# Hiding somebody's boosts.


def test_boosts_of_somebody_can_be_hidden_and_shown_again(
    alice: User, bob: User, carol: User
) -> None:
    status = said(carol, "tea")
    boost(user=alice, status=status)
    said(alice, "my own")
    browser = browser_of(bob)
    page = browser.get("/@alice/").content.decode()
    assert 'action="/@alice/hide_boosts/"' in page
    answer = browser.post("/@alice/hide_boosts/", {"next": "/@alice/"})
    assert (answer.status_code, answer["Location"]) == (302, "/@alice/")
    assert entries(home(bob)) == [("", "my own")]
    assert entries(profile(alice)) == [("", "my own"), ("alice", "tea")], "only in the home"
    assert 'action="/@alice/show_boosts/"' in browser.get("/@alice/").content.decode()
    browser.post("/@alice/hide_boosts/")
    browser.post("/@alice/show_boosts/")
    assert entries(home(bob)) == [("", "my own"), ("alice", "tea")]
    assert_sound()


def test_hiding_is_about_those_one_follows(
    client: Client, alice: User, bob: User, carol: User
) -> None:
    assert "_boosts/" not in browser_of(carol).get("/@alice/").content.decode()
    assert browser_of(carol).post("/@alice/hide_boosts/").status_code == 302
    assert relationship_with(carol, alice) == Relationship()
    assert browser_of(bob).post("/@nobody_/hide_boosts/").status_code == 404
    assert client.post("/@alice/hide_boosts/")["Location"].startswith("/login/")
    assert browser_of(bob).get("/@alice/hide_boosts/").status_code == 405
    suspend(user=alice)
    assert browser_of(bob).post("/@alice/hide_boosts/").status_code == 404


def test_a_new_follow_shows_boosts_again(alice: User, bob: User, carol: User) -> None:
    boost(user=alice, status=said(carol, "tea"))
    assert hide_boosts(follower=bob, followee=alice) is True
    assert hide_boosts(follower=bob, followee=alice) is False
    assert relationship_with(bob, alice) == Relationship(follows=True, hides_boosts=True)
    unfollow(follower=bob, followee=alice)
    assert relationship_with(bob, alice) == Relationship()
    follow(follower=bob, followee=alice)
    assert relationship_with(bob, alice) == Relationship(follows=True)
    assert entries(home(bob)) == [("alice", "tea")]
    assert_sound()


def test_a_lost_viewpoint_is_loaded_again(alice: User, bob: User, carol: User) -> None:
    boost(user=alice, status=said(carol, "tea"))
    hide_boosts(follower=bob, followee=alice)
    assert home(bob) == []
    get_client().delete(keys.viewpoint(bob.pk))
    assert home(bob) == []
    assert viewpoint_of(bob.pk).boosts_hidden == {alice.pk}
    assert_sound()


def test_likes_of_many_are_removed_in_parts(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removal, "PART", 10)
    status = said(alice, "popular")
    people = [make_user(f"user{n}") for n in range(35)]
    Like.objects.bulk_create(
        Like(id=like_ids.next(get_client()), user=user, status_id=status.id) for user in people
    )
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    assert Like.objects.count() == 35, "the request does not wait for them"
    drain()
    assert not Like.objects.exists()
