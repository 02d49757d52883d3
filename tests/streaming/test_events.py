"""Events are published once, in order, even if something runs twice or late."""

import asyncio
import json
from typing import Any

from pytest_django import Settings

from redistools import keys
from redistools.client import get_async_client, get_client
from redistools.ids import first_id_at
from relations.services import follow, unfollow
from relations.tasks import sync_follow
from statuses import tasks as status_tasks
from statuses.services import delete_status, post_status
from streaming.engine.log import LogExtent, extent_kept
from streaming.event import StreamEvent, facts_of
from streaming.formats import Lines, ServerSent
from tests.redis_keys import contents_of, keys_of_the_test
from tests.streaming.publishing import publish_deletions, publish_posts, stored
from timelines.selectors import profile
from users.models import User
from users.services import delete_account


def entries(log: str | None = None) -> list[tuple[str, dict[str, str]]]:
    found: Any = get_client().xrange(log or keys.event_log())
    return list(found)


def kept(log: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    return [(fields["kind"], json.loads(fields["body"])) for _, fields in entries(log)]


def newest() -> StreamEvent:
    return StreamEvent.from_log(*entries()[-1])


def listening() -> Any:
    client: Any = get_client()  # redis-py gives no type to a subscription
    subscription = client.pubsub()
    subscription.subscribe(keys.event_channel())
    assert subscription.get_message(timeout=30)
    return subscription


def kinds(log: str | None = None) -> list[str]:
    return [kind for kind, _ in kept(log)]


def test_a_post_and_a_deletion_are_told_once_however_often_they_run(alice: User) -> None:
    status = post_status(author=alice, text="hello")
    status_tasks.publish.func(status.pk, alice.pk)
    assert kinds() == ["post"]
    delete_status(status=status, by=alice)
    status_tasks.retract.func(status.pk, alice.pk, None)
    assert kept() == [("delete", {"id": status.pk, "author": alice.pk})]


def test_a_deletion_leaves_nothing_of_the_status_to_read_in_redis(alice: User) -> None:
    status = post_status(author=alice, text="a secret", latitude=48.208, longitude=16.373)
    secrets = ("secret", "48.208", "16.373")
    before = str(contents_of(keys_of_the_test()))
    assert all(part in before for part in secrets)
    heard = listening()
    delete_status(status=status, by=alice)
    message: Any = heard.get_message(timeout=30)
    heard.close()
    assert str(status.pk) in message["data"]
    for copy in (message["data"], str(contents_of(keys_of_the_test()))):
        assert not any(part in copy for part in secrets)


def test_a_deletion_still_says_whose_filters_had_matched(alice: User, bob: User) -> None:
    text = "@bob look at the sea"
    status = post_status(author=alice, text=text, language="en", latitude=54.0, longitude=8.5)
    posted = newest().facts
    assert posted == facts_of(newest().status)
    assert posted.words >= {"look", "sea", "@bob"}
    assert posted.addressees == {bob.pk}
    delete_status(status=status, by=alice)
    assert newest().kind == "delete"
    assert newest().facts == posted


def test_a_deletion_of_what_the_log_no_longer_has_is_about_the_same(alice: User) -> None:
    status = post_status(author=alice, text="long ago")
    posted = newest().facts
    get_client().delete(keys.event_log())
    delete_status(status=status, by=alice)
    assert newest().facts == posted


def test_another_secret_key_makes_neither_posts_nor_deletions_unreadable(
    alice: User, settings: Settings
) -> None:
    status = post_status(author=alice, text="hello")
    settings.SECRET_KEY = "another"
    assert newest().facts.words == {"hello"}
    delete_status(status=status, by=alice)
    assert (newest().facts.id, newest().facts.author_id) == (status.pk, alice.pk)


def test_what_is_in_the_log_can_always_be_taken_out(alice: User, settings: Settings) -> None:
    """Deleted posts don't count, so the log reaches further back than the number of events kept."""
    settings.STREAM_EVENTS_KEPT = 1_500
    first = post_status(author=alice, text="the first")
    publish_posts([stored(n, text="soon gone") for n in range(1, 1_301)])
    publish_deletions(7, range(1, 1_301))
    assert kinds().count("post") == 1
    delete_status(status=first, by=alice)
    assert kinds().count("post") == 0


async def extent() -> LogExtent | None:
    try:
        return await extent_kept()
    finally:
        await get_async_client().aclose()


def test_what_was_taken_out_is_not_missed(alice: User) -> None:
    """The log reaches back as far as before, also when its first entry is gone."""
    before = asyncio.run(extent())
    statuses = [post_status(author=alice, text=f"{n}") for n in range(3)]
    first = asyncio.run(extent())
    assert before is None
    assert first is not None
    for status in statuses:
        delete_status(status=status, by=alice)
    after = asyncio.run(extent())
    assert after is not None
    assert after.floor == first.floor
    assert after.newest > first.newest


def test_trimming_moves_the_floor(alice: User, settings: Settings) -> None:
    settings.STREAM_EVENTS_KEPT = 100
    publish_deletions(alice.pk, range(1, 501))
    reach = asyncio.run(extent())
    assert reach is not None
    assert reach.floor == int(entries()[0][1]["before"])
    assert kept()[-1][1]["id"] == 500


def test_no_position_is_the_id_of_a_status(alice: User) -> None:
    """Both begin with the millisecond; `since_id` takes either."""
    ids = [post_status(author=alice, text=f"{n}").pk for n in range(20)]
    positions = {int(entry_id.partition("-")[0]) for entry_id, _ in entries()}
    assert not positions & set(ids)
    assert all(position & 0xFFF >= 0x800 for position in positions)


def test_a_post_that_comes_after_its_deletion_is_not_told(alice: User, carol: User) -> None:
    status = post_status(author=alice, text="hello")
    publish_deletions(alice.pk, [status.pk])
    get_client().zrem(keys.event_marks(), f"post:{status.pk}")  # as if not yet published
    status_tasks.publish.func(status.pk, alice.pk)
    assert kinds() == ["delete"]


def test_a_status_that_is_gone_is_not_told(alice: User) -> None:
    status_tasks.publish.func(4711, alice.pk)
    assert kinds() == []


def test_a_deletion_without_the_status_still_names_it_and_its_author(alice: User) -> None:
    publish_deletions(alice.pk, [4711])
    assert kept() == [("delete", {"id": 4711, "author": alice.pk})]


def test_a_follow_can_be_undone_and_done_again_each_told_once(alice: User, carol: User) -> None:
    follow(follower=carol, followee=alice)
    sync_follow.func(carol.pk, alice.pk)
    unfollow(follower=carol, followee=alice)
    sync_follow.func(carol.pk, alice.pk)
    follow(follower=carol, followee=alice)
    assert kinds(keys.private_log()) == ["follow", "unfollow", "follow"]
    assert kinds() == [], "nobody else learns of it"
    assert kept(keys.private_log())[0][1] == {"follower": carol.pk, "followee": alice.pk}


def test_a_deleted_account_takes_its_statuses_along(alice: User) -> None:
    ids = [post_status(author=alice, text=f"{n}").pk for n in range(3)]
    assert len(profile(alice)) == 3
    delete_account(user=alice)
    told = [body["id"] for kind, body in kept() if kind == "delete"]
    assert sorted(told) == ids
    assert "post" not in kinds()


def test_a_suspended_account_is_not_mentioned(alice: User, bob: User) -> None:
    post_status(author=alice, text="@bob hello")
    shown = newest().without_mentions({bob.pk}.__contains__)
    assert (
        json.loads(Lines().event(newest()))["entities"]["user_mentions"][0]["screen_name"] == "bob"
    )
    assert json.loads(Lines().event(shown))["entities"]["user_mentions"] == []
    assert b"<a" not in ServerSent("en").event(shown).split(b"status-text")[1]
    assert newest().without_mentions({alice.pk}.__contains__) == newest()


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
    publish_deletions(alice.pk, range(1, 1_501))
    assert 100 <= get_client().xlen(keys.event_log()) < 300
    assert get_client().zcard(keys.event_marks()) == 1_200
    assert kept()[-1][1]["id"] == 1_500


def test_everything_is_told_to_who_listens_and_kept_in_one_round_trip(alice: User) -> None:
    heard = listening()
    post_status(author=alice, text="hello")
    message: Any = heard.get_message(timeout=30)
    assert StreamEvent.from_message(message["data"]) == newest()
    heard.close()
