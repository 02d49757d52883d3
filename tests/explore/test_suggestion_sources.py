"""Whom somebody may like to follow, and why."""

import pytest
from django.utils import translation

from explore.people import popular, working_out
from explore.people.selectors import suggestions
from explore.tasks import find_popular
from relations.services import follow
from statuses.services import post_status
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.explore.suggesting import names, reasons, set_private
from users.audience import Visibility
from users.models import User
from users.services import silence, suspend


def test_whom_friends_follow_comes_before_popular_and_new_accounts(
    alice: User, bob: User, carol: User, erin: User
) -> None:
    """Bob follows alice, who follows erin."""
    make_user("fay", followers_count=50)
    follow(follower=alice, followee=erin)
    find_popular.call()
    drain()
    assert names(bob) == ["erin", "fay", "carol"]
    assert reasons(bob) == {
        "erin": ("friends", str(alice.pk)),
        "fay": ("popular", ""),
        "carol": ("member", ""),
    }


def test_who_is_followed_by_most_friends_comes_first(
    alice: User, bob: User, carol: User, dave: User, erin: User
) -> None:
    follow(follower=bob, followee=carol)
    for followee in (dave, erin):
        follow(follower=alice, followee=followee)
    follow(follower=carol, followee=dave)
    found = suggestions(bob, limit=9)
    assert [(it.person.username, it.friends) for it in found] == [("dave", 2), ("erin", 1)]
    assert found[0].friend is not None
    assert found[0].friend.username == "carol", "whom bob followed last"


def test_people_who_post_with_tags_that_one_follows(
    alice: User, carol: User, dave: User, erin: User
) -> None:
    for _ in range(2):
        post_status(author=dave, text="#Tea again")
    post_status(author=erin, text="#tea once")
    post_status(author=alice, text="psst #tea", visibility=Visibility.FOLLOWERS)
    drain()
    follow_tag(user=carol, name="TEA")
    found = reasons(carol)
    assert list(found) == ["dave", "erin", "alice"]
    assert found["dave"] == found["erin"] == ("tag", "Tea")
    assert found["alice"] == ("member", ""), "what only followers see speaks for nobody"


def test_who_follows_a_tag_too_is_nobodys_business(carol: User, dave: User) -> None:
    follow_tag(user=dave, name="tea")
    follow_tag(user=carol, name="tea")
    assert reasons(carol) == {"dave": ("member", "")}


def test_english_and_chinese_newcomers_get_different_people(
    alice: User, bob: User, carol: User, dave: User, erin: User
) -> None:
    post_status(author=dave, text="hello", language="en")
    post_status(author=erin, text="你好", language="zh")
    drain()
    english, chinese = make_user("ann"), make_user("mei")
    assert next(iter(reasons(english, "en").items())) == ("dave", ("language", "en"))
    assert next(iter(reasons(chinese, "zh").items())) == ("erin", ("language", "zh"))


def test_popular_accounts_that_post_in_the_readers_languages_come_before_others(
    carol: User,
) -> None:
    make_user("hans", followers_count=9, posting_language="de")
    make_user("ann", followers_count=5, posting_language="en")
    make_user("bea", followers_count=7, posting_language="en")
    find_popular.call()
    drain()
    assert names(carol, "en") == ["bea", "ann", "hans"]


def test_all_accounts_are_looked_at_for_popular_ones_some_at_a_time(
    carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(popular, "LINK_SIZE", 2)
    for number in range(5):
        make_user(f"star{number}", followers_count=10 - number, posting_language="en")
    find_popular.call()
    assert drain() == 4, "six accounts, in links of two"
    assert len(popular.people(["en"])) == 5
    assert names(carol)[:5] == [f"star{number}" for number in range(5)]


def test_a_chain_that_lost_its_memory_ends_and_takes_nothing_away(
    monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    star = make_user("star", followers_count=3)
    assert popular.look_on(0) is None
    assert popular.people([popular.ANY]) == [star.pk]
    assert popular.look_on(star.pk) is None
    assert popular.people([popular.ANY]) == [star.pk]


def test_sources_take_turns_and_the_best_reason_counts(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working_out, "TURN", 1)
    friends = [make_user(f"friend{number}") for number in range(2)]
    others = [make_user(f"other{number}") for number in range(2)]
    for friend in friends:
        follow(follower=alice, followee=friend)
    for person in (*friends, *others):
        post_status(author=person, text="hello", language="en")
    drain()
    kinds = [kind for kind, _ in reasons(bob, "en").values()]
    assert kinds == ["friends", "language", "friends", "language"]


def test_tags_count_in_languages_that_the_reader_reads(carol: User, dave: User, erin: User) -> None:
    post_status(author=dave, text="hello #tea", language="en")
    post_status(author=erin, text="你好 #tea", language="zh")
    drain()
    follow_tag(user=carol, name="tea")
    assert reasons(carol, "zh") == {"erin": ("tag", "tea"), "dave": ("member", "")}


def test_visitors_get_people_who_post_in_the_language_of_the_page(
    alice: User, dave: User, erin: User
) -> None:
    post_status(author=dave, text="hello", language="en")
    post_status(author=erin, text="你好", language="zh")
    drain()
    for language, first in (("en", "dave"), ("zh-hans", "erin")):
        with translation.override(language):
            assert names(None)[0] == first
    with translation.override("en"):
        assert set(names(None)) == {"alice", "dave", "erin"}
        suspend(user=dave)
        silence(user=erin)
        set_private(alice)
        assert names(None) == []
