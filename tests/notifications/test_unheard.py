"""People, conversations and words of which somebody wants to hear nothing."""

from datetime import timedelta

from django.utils import timezone

from notifications.models import ACTORS
from relations.blocks_and_mutes.services import (
    block,
    mute,
    mute_thread,
    mute_word,
    unblock,
    unmute,
    unmute_thread,
)
from relations.services import follow
from statuses.reactions.services import boost, like
from tests.cast import browser_of, make_user
from tests.notifications.reading import Told, assert_sound, say, told, unread
from users.models import User


def test_a_block_hides_what_was_told_before(alice: User, bob: User, carol: User) -> None:
    status = say(alice)
    for user in (carol, bob):
        like(user=user, status=status)
    say(bob, "@alice hello")
    boost(user=bob, status=status)
    assert [it.kind for it in told(alice)] == ["boost", "mention", "like", "follow"]
    block(blocker=alice, blocked=bob)
    assert told(alice) == [Told("like", ["carol"])]
    unblock(blocker=alice, blocked=bob)
    assert [it.kind for it in told(alice)] == ["boost", "mention", "like"]
    assert_sound()


def test_nothing_new_is_heard_of_muted_people(alice: User, bob: User, carol: User) -> None:
    status = say(alice)
    browser_of(alice).get("/notifications/")
    mute(user=alice, muted=carol)
    like(user=carol, status=status)
    follow(follower=carol, followee=alice)
    say(carol, "@alice hello")
    say(carol, "yes", reply_to=status.id)
    assert [it.kind for it in told(alice)] == ["follow"]
    assert [it.names for it in told(alice)] == [["bob"]]
    assert unread(alice) == 1, "bob's follow alone"
    like(user=bob, status=status)
    assert unread(alice) == 2
    assert told(alice)[0] == Told("like", ["bob"])
    unmute(user=alice, muted=carol)
    assert [it.kind for it in told(alice)] == ["like", "reply", "mention", "follow"]
    assert told(alice)[0] == Told("like", ["bob", "carol"])
    assert_sound()


def test_a_muted_person_makes_old_news_no_news(alice: User, bob: User, carol: User) -> None:
    status = say(alice)
    like(user=bob, status=status)
    assert unread(alice) == 2
    browser_of(alice).get("/notifications/")
    mute(user=alice, muted=carol)
    like(user=carol, status=status)
    assert unread(alice) == 0


def test_a_mute_that_has_ended_hides_nothing(alice: User, carol: User) -> None:
    mute(user=alice, muted=carol, until=timezone.now() - timedelta(seconds=1))
    say(carol, "@alice hello")
    assert told(alice) == [Told("mention", ["carol"])]
    assert unread(alice) == 1


def test_nothing_is_heard_of_a_muted_conversation(alice: User, bob: User, carol: User) -> None:
    root = say(alice, "tea?")
    mute_thread(user=alice, thread=root.id)
    reply = say(carol, "yes", reply_to=root.id)
    say(bob, "no", reply_to=reply.id)
    like(user=carol, status=root)
    assert [it.kind for it in told(alice)] == ["follow"]
    assert unread(alice) == 1
    unmute_thread(user=alice, thread=root.id)
    assert [it.kind for it in told(alice)] == ["like", "reply", "follow"]


def test_muted_words_hide_or_fold_what_is_told(alice: User, carol: User) -> None:
    say(carol, "@alice spoilers here")
    say(carol, "@alice about taxes")
    mute_word(user=alice, phrase="spoilers")
    mute_word(user=alice, phrase="taxes", action="fold")
    assert told(alice) == [Told("mention", ["carol"])]
    page = browser_of(alice).get("/notifications/").content.decode()
    assert "Muted word" in page
    assert "taxes" not in page
    assert "spoilers" not in page


def test_a_crowd_is_searched_for_somebody_who_is_heard_of(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    fans = [make_user(f"fan{number}") for number in range(ACTORS + 2)]
    for place, fan in enumerate(fans):
        like(user=fan, status=status)
        if place % 2:
            block(blocker=fan, blocked=alice)
        else:
            mute(user=alice, muted=fan)
    assert told(alice) == [Told("like", ["carol"])]
