"""Events are told once, in order, whatever runs twice or too late."""

import json
from typing import Any

from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.ids import first_id_at
from statuses.services import delete_status, post_status
from streaming import events
from timelines import tasks
from timelines.selectors import profile
from users.models import User
from users.services import delete_account, follow, unfollow


def entries() -> list[tuple[str, dict[str, str]]]:
    found: Any = get_client().xrange(keys.event_log())
    return list(found)


def kept() -> list[tuple[str, dict[str, Any]]]:
    return [(fields["kind"], json.loads(fields["body"])) for _, fields in entries()]


def kinds() -> list[str]:
    return [kind for kind, _ in kept()]


def test_a_post_and_a_deletion_are_told_once_however_often_they_run(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    tasks.publish.func(status.pk, alice.pk)
    assert kinds() == ["post"]
    delete_status(status=status, by=alice)
    tasks.retract.func(status.pk, alice.pk)
    assert kinds() == ["post", "delete"]
    assert kept()[1][1]["text"] == "hello"  # tells whose filters had matched


def test_a_post_that_comes_after_its_deletion_is_not_told(alice: User, carol: User) -> None:
    status = post_status(author=alice, text="hello")
    events.statuses_deleted(alice.pk, [status.pk])
    get_client().zrem(keys.event_marks(), f"post:{status.pk}")  # as if it had not been told yet
    events.status_posted(status.pk)
    assert kinds() == ["post", "delete"]


def test_a_status_that_is_gone_is_not_told(alice: User) -> None:
    events.status_posted(4711)
    assert kinds() == []


def test_a_deletion_without_the_status_still_names_it_and_its_author(alice: User) -> None:
    events.statuses_deleted(alice.pk, [4711])
    assert kept() == [("delete", {"id": 4711, "user": {"id": alice.pk}})]


def test_a_follow_can_be_undone_and_done_again_each_told_once(alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    tasks.settle_follow.func(carol.pk, alice.pk)
    unfollow(follower=carol, followee=alice)
    tasks.settle_follow.func(carol.pk, alice.pk)
    follow(follower=carol, followee=alice)
    assert kinds() == ["follow", "unfollow", "follow"]
    assert kept()[0][1] == {"follower": carol.pk, "followee": alice.pk}


def test_a_deleted_account_takes_its_statuses_along(alice: User) -> None:
    ids = [post_status(author=alice, text=f"{n}").pk for n in range(3)]
    assert len(profile(alice)) == 3
    delete_account(user=alice)
    told = [body["id"] for kind, body in kept() if kind == "delete"]
    assert sorted(told) == ids


def test_every_event_names_the_one_before(alice: User) -> None:
    for n in range(5):
        post_status(author=alice, text=f"{n}")
    positions = [int(entry_id.partition("-")[0]) for entry_id, _ in entries()]
    before = [int(fields["before"]) for _, fields in entries()]
    assert before[1:] == positions[:-1]
    assert before[0] == positions[0] - 1


def test_a_position_can_be_compared_with_the_ids_of_statuses(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    ((entry_id, _),) = entries()
    position = int(entry_id.partition("-")[0])
    assert status.pk < position < first_id_at(status.created_at) + (5_000 << 12)


def test_only_the_newest_events_are_kept(alice: User, settings: Settings) -> None:
    settings.STREAM_EVENTS_KEPT = 100
    events.statuses_deleted(alice.pk, range(1, 1_501))
    assert 100 <= get_client().xlen(keys.event_log()) < 300
    assert get_client().zcard(keys.event_marks()) == 1_100
    assert kept()[-1][1]["id"] == 1_500


def test_everything_is_told_to_who_listens_and_kept_in_one_round_trip(alice: User) -> None:
    client: Any = get_client()  # redis-py gives no type to a subscription
    listening = client.pubsub()
    listening.subscribe(keys.event_channel())
    assert listening.get_message(timeout=5)
    post_status(author=alice, text="hello")
    message: Any = listening.get_message(timeout=5)
    before, position, kind, body = message["data"].split(" ", 3)
    ((entry_id, fields),) = entries()
    assert (entry_id, fields) == (
        f"{position}-0",
        {"before": before, "kind": kind, "body": body},
    )
    listening.close()
