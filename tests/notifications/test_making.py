"""Every kind of notification: made, grouped and taken back."""

import pytest

from notifications import tasks
from notifications.grouping.kinds import day_of
from notifications.models import ACTORS, Notification
from redistools.client import get_client
from relations.models import Follow
from relations.services import follow, unfollow
from statuses import tasks as status_tasks
from statuses.models import Like, Status, like_ids
from statuses.reactions.services import boost, like, unboost, unlike
from statuses.services import delete_status, edit_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.notifications.reading import Told, assert_sound, rows_of, say, told
from users.models import User
from users.services import restore, suspend


def test_a_mention_is_told(alice: User, carol: User) -> None:
    say(carol, "good morning @alice and @ALICE")
    assert told(alice) == [Told("mention", ["carol"])]
    assert told(carol) == []
    assert_sound()


def test_a_reply_is_told_once_even_if_it_names_whom_it_answers(alice: User, carol: User) -> None:
    say(carol, "@alice indeed", reply_to=say(alice).id)
    assert told(alice) == [Told("reply", ["carol"])]


def test_a_reply_to_one_may_name_others(alice: User, carol: User) -> None:
    dave = make_user("dave")
    say(carol, "@dave look", reply_to=say(alice).id)
    assert told(alice) == [Told("reply", ["carol"])]
    assert told(dave) == [Told("mention", ["carol"])]


def test_what_one_does_oneself_is_no_news(alice: User) -> None:
    status = say(alice, "I, @alice")
    say(alice, "go on", reply_to=status.id)
    like(user=alice, status=status)
    boost(user=alice, status=status)
    assert told(alice) == []


def test_likes_of_one_status_are_one_notification(alice: User, carol: User) -> None:
    status, other = say(alice), say(alice, "another")
    friends = [make_user(f"friend{number}") for number in range(4)]
    for user in (*friends, carol, alice):
        like(user=user, status=status)
    like(user=carol, status=other)
    assert told(alice) == [Told("like", ["carol"]), Told("like", ["carol", "friend3"], 3)]
    assert_sound()


def test_boosts_of_one_status_are_one_notification(alice: User, carol: User) -> None:
    status, dave = say(alice), make_user("dave")
    boost(user=dave, status=status)
    boost(user=carol, status=status)
    assert told(alice) == [Told("boost", ["carol", "dave"])]
    assert_sound()


def test_follows_of_one_day_are_one_notification(alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    follow(follower=make_user("dave"), followee=alice)
    drain()
    yesterday = Follow.objects.get(follower=carol).pk - (24 * 3600 * 1000 << 12)
    erin = make_user("erin")
    Follow.objects.create(pk=yesterday, follower=erin, followee=alice)
    tasks.follows_changed.enqueue(alice.pk, day_of(yesterday))
    assert told(alice) == [Told("follow", ["dave", "carol"]), Told("follow", ["erin"])]


def test_an_edit_is_told_to_those_who_boosted_it(alice: User, bob: User, carol: User) -> None:
    status = say(alice, "teh cat")
    boost(user=carol, status=status)
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="the cat")
    drain()
    boost(user=bob, status=status)
    assert told(carol) == [Told("edit", ["alice"])]
    assert told(bob) == [], "bob has boosted the new one"
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="The cat")
    assert told(carol) == told(bob) == [Told("edit", ["alice"])]
    unboost(user=carol, status_id=status.id)
    assert told(carol) == []
    assert_sound()


def test_an_edit_is_told_to_many_in_a_chain(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "LINK_SIZE", 3)
    monkeypatch.setattr(tasks, "PART", 2)
    status = say(alice, "teh cat")
    friends = [make_user(f"friend{number}") for number in range(8)]
    for friend in friends:
        boost(user=friend, status=status)
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="the cat")
    assert [told(friend) for friend in friends] == [[Told("edit", ["alice"])]] * 8
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    assert [told(friend) for friend in friends] == [[]] * 8
    assert not Notification.objects.exists()
    assert_sound()


def test_an_edit_names_others(alice: User, bob: User, carol: User) -> None:
    status = say(alice, "for @bob")
    assert told(bob) == [Told("mention", ["alice"])]
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="for @carol")
    assert told(bob) == []
    assert told(carol) == [Told("mention", ["alice"])]
    assert_sound()


def test_what_is_undone_is_taken_back(alice: User, carol: User) -> None:
    status, dave = say(alice), make_user("dave")
    for user in (dave, carol):
        like(user=user, status=status)
        boost(user=user, status=status)
        follow(follower=user, followee=alice)
    drain()
    for user, left in ((carol, ["dave"]), (dave, [])):
        unlike(user=user, status_id=status.id)
        unboost(user=user, status_id=status.id)
        unfollow(follower=user, followee=alice)
        kinds = ("follow", "boost", "like") if left else ()
        assert told(alice) == [Told(kind, left) for kind in kinds]
    assert not Notification.objects.exists()
    assert_sound()


def test_somebody_who_follows_again_is_told_once(alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    unfollow(follower=carol, followee=alice)
    follow(follower=carol, followee=alice)
    assert told(alice) == [Told("follow", ["carol"])]


def test_a_deleted_status_takes_its_notifications_along(
    alice: User, bob: User, carol: User
) -> None:
    status = say(alice, "hello @bob")
    reply = say(carol, "yes", reply_to=status.id)
    like(user=carol, status=status)
    boost(user=carol, status=status)
    like(user=alice, status=reply)
    assert [len(told(user)) for user in (bob, carol)] == [1, 1]
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    assert [it.kind for it in told(alice)] == ["reply", "follow"], "the reply is still there"
    assert told(bob) == []
    delete_status(status=Status.objects.get(pk=reply.id), by=carol)
    assert [it.kind for it in told(alice)] == ["follow"]
    assert told(carol) == []
    assert_sound()


def test_tasks_that_run_again_change_nothing(alice: User, bob: User, carol: User) -> None:
    status = say(alice, "hello @bob")
    reply = say(carol, "@bob yes", reply_to=status.id)
    like(user=carol, status=status)
    boost(user=bob, status=status)
    edit_status(status=Status.objects.get(pk=status.id), by=alice, text="hello @bob!")
    everybody = (alice, bob, carol)
    before = [(told(user), rows_of(user), user.unread_notifications) for user in everybody]
    columns = list(Notification.objects.order_by("pk").values())
    for follow_ in Follow.objects.all():
        tasks.follows_changed.enqueue(follow_.followee_id, day_of(follow_.pk))
    for status_id in Status.objects.values_list("pk", flat=True):
        status_tasks.follow_up.enqueue(status_id)
        tasks.status_edited.enqueue(status_id, 0)
        tasks.likes_changed.enqueue(status_id)
        tasks.boosts_changed.enqueue(status_id)
        tasks.boost_removed.enqueue(status_id, carol.pk)
        tasks.status_deleted.enqueue(status_id)
    assert [(told(it), rows_of(it), it.unread_notifications) for it in everybody] == before
    assert list(Notification.objects.order_by("pk").values()) == columns
    assert reply.id in {row.subject for row in rows_of(bob)}


@pytest.mark.parametrize("name", ["status_deleted", "likes_changed", "boosts_changed"])
def test_tasks_about_what_is_gone_change_nothing(alice: User, name: str) -> None:
    getattr(tasks, name).enqueue(4711)
    tasks.follows_changed.enqueue(4711, 5)
    tasks.boost_removed.enqueue(4711, 4712)
    tasks.status_edited.enqueue(4711, 0)
    tasks.publish.enqueue(4711, [1], [1])
    assert told(alice) == []


def test_a_thousand_likes_are_one_row(alice: User) -> None:
    status = say(alice)
    fans = User.objects.bulk_create(
        User(username=f"fan{n}", email="fan@example.com") for n in range(1_000)
    )
    Like.objects.bulk_create(
        Like(pk=like_ids.next(get_client()), user=fan, status_id=status.id) for fan in fans
    )
    tasks.likes_changed.enqueue(status.id)
    assert told(alice) == [Told("like", ["fan999", "fan998"], 998)]
    [row] = rows_of(alice)
    assert (row.count, len(row.actors.split())) == (1_000, ACTORS)


def test_many_likes_wait_as_one_task(alice: User, carol: User) -> None:
    status = say(alice)
    drain()
    for number in range(20):
        like(user=make_user(f"fan{number}"), status=status)
    assert drain() == 1 + 20, "explore counts each of them"
    assert told(alice)[0].others == 18


def test_suspended_people_are_hidden_not_gone(alice: User, carol: User) -> None:
    status, dave = say(alice), make_user("dave")
    for user in (dave, carol):
        like(user=user, status=status)
    say(carol, "@alice")
    suspend(user=carol)
    assert told(alice) == [Told("like", ["dave"])]
    suspend(user=dave)
    assert told(alice) == []
    restore(user=carol)
    assert told(alice) == [Told("mention", ["carol"]), Told("like", ["carol"])]
    assert_sound()


def test_a_crowd_of_suspended_people_does_not_hide_the_others(alice: User, carol: User) -> None:
    status = say(alice)
    like(user=carol, status=status)
    like(user=alice, status=status)
    for number in range(ACTORS + 1):
        spammer = make_user(f"spammer{number}")
        like(user=spammer, status=status)
        suspend(user=spammer)
    assert told(alice) == [Told("like", ["carol"])]
