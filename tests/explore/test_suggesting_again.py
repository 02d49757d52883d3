"""How suggestions are worked out, kept and worked out again."""

import time
from typing import Any

import pytest
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries

from explore.people import store, working_out
from explore.tasks import suggest_again
from redistools import keys
from redistools.client import get_client
from relations.services import follow
from statuses.services import post_status
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.explore.suggesting import follow_many, make_crowd, make_due, names, reasons
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import delete_account


def test_suggestions_are_kept(
    alice: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert names(alice) == ["carol"]
    make_user("dave")
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert names(alice) == ["carol"]
    assert len(trips) == 2, trips.sent
    assert 0 < get_client().ttl(keys.suggested(alice.pk)) <= store.LIFETIME


def test_a_language_that_was_not_known_before_counts_at_once(
    alice: User, carol: User, dave: User
) -> None:
    post_status(author=dave, text="hallo", language="de")
    drain()
    assert reasons(carol, "en")["dave"] == ("member", "")
    assert reasons(carol, "de")["dave"] == ("language", "de")
    assert store.kept_for(carol.pk).languages == ["de", "en"]  # type: ignore[union-attr] # it is kept


def test_a_follow_makes_its_follower_due(alice: User, bob: User, dave: User) -> None:
    assert names(bob) == ["dave"]
    make_user("erin")
    cache.clear()
    assert store.take_due(9, now_ms=0) == []
    soon = (time.time() + store.PATIENCE_SECONDS + 5) * 1000
    assert store.take_due(9, now_ms=int(soon)) == [bob.pk]
    assert store.take_due(9, now_ms=int(soon)) == []
    assert names(bob) == ["dave"]
    working_out.work_out_again(bob.pk)
    assert set(names(bob)) == {"dave", "erin"}


def test_who_follows_more_and_more_people_keeps_their_place(alice: User, carol: User) -> None:
    make_due(carol)
    follow(follower=carol, followee=alice)
    assert store.take_due(9) == [carol.pk]


def test_old_suggestions_are_shown_and_worked_out_again_by_a_task(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    names(alice, "de")
    make_user("dave")
    cache.clear()
    monkeypatch.setattr(store, "STALE_SECONDS", -1)
    with counting_round_trips() as trips:
        assert names(alice) == ["carol"]
    assert len(trips) == 2, trips.sent
    suggest_again.call()
    assert set(names(alice)) == {"carol", "dave"}
    assert store.kept_for(alice.pk).languages == ["de"]  # type: ignore[union-attr] # it is kept


def test_who_is_due_is_worked_for_some_at_a_time(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explore.tasks.SOME", 2)
    people = [make_user(f"person{number}") for number in range(5)]
    for person in people:
        make_due(person)
    suggest_again.call()
    assert [store.kept_for(it.pk) is not None for it in people].count(True) == 2
    assert drain() == 2
    assert all(store.kept_for(it.pk) for it in people)


def test_working_out_twice_changes_nothing(alice: User, bob: User, dave: User) -> None:
    follow(follower=alice, followee=dave)
    found = []
    for _ in range(2):
        working_out.work_out_again(bob.pk)
        kept = store.kept_for(bob.pk)
        assert kept is not None
        found.append(kept._replace(made=0))
    assert found[0] == found[1]


def test_an_account_that_left_keeps_nothing(alice: User, bob: User) -> None:
    names(bob)
    make_due(bob)
    delete_account(user=bob)
    drain()
    assert not get_client().exists(keys.suggested(bob.pk))
    assert get_client().zscore(keys.suggestions_due(), bob.pk) is None
    working_out.work_out_again(bob.pk)
    assert not get_client().exists(keys.suggested(bob.pk))


def test_another_tag_counts_with_the_next_page(alice: User, carol: User, dave: User) -> None:
    post_status(author=dave, text="#tea")
    drain()
    assert reasons(carol)["dave"] == ("member", "")
    follow_tag(user=carol, name="tea")
    assert reasons(carol)["dave"] == ("tag", "tea")


def test_a_list_of_which_nothing_is_left_is_worked_out_again(
    alice: User, carol: User, dave: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working_out, "MOST", 1)
    assert names(alice) == ["dave"]
    follow(follower=alice, followee=dave)
    assert names(alice) == [], "only now and then"
    monkeypatch.setattr("explore.people.selectors.AGAIN_SECONDS", -1)
    assert names(alice) == ["carol"]


def test_the_work_does_not_grow_with_how_many_one_follows(
    alice: User, bob: User, django_assert_max_num_queries: Any
) -> None:
    """Bob follows one, alice 5,000 people, some of whom follow as many."""
    crowd = make_crowd(6_000)
    follow_many(alice, crowd[:5_000])
    for friend in crowd[4_997:5_000]:
        follow_many(friend, crowd[:4_900])
        follow_many(friend, crowd[5_000:])
    names(bob, "en")
    names(alice, "en")
    sent = []
    for user in (bob, alice):
        cache.clear()
        with counting_round_trips() as trips, django_assert_max_num_queries(12):
            working_out.work_out(user, ["en"])
        sent.append(trips)
    assert len(sent[1]) <= len(sent[0]) + 1, sent
    assert len(sent[1]) <= 16, sent
    kept = store.kept_for(alice.pk)
    assert kept is not None
    assert len(kept.candidates) <= working_out.MOST
