"""Ways in which words, names or tags could get to people for whom they are not."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from explore.languages import seen
from explore.selectors import trending_tags
from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.blocks_and_mutes import viewpoint
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.reactions.services import boost, like
from statuses.services import delete_status, edit_status, mark_sensitive, post_status
from statuses.store import find_statuses, refresh_statuses
from statuses.stored import StoredStatus
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter
from streaming.engine import subscription, visible
from streaming.engine.hub import Hub
from streaming.engine.open_stream import OpenStream
from streaming.engine.replay import replay
from streaming.engine.visible import shown_now
from streaming.event import StreamEvent
from streaming.formats import Lines
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.streaming.test_hub import join, run, until, waiting
from users.audience import Visibility
from users.models import User
from users.services import delete_account, silence, suspend
from users.tasks import refresh_user


def page(user: User | None, address: str) -> str:
    browser = browser_of(user) if user else Client()
    return browser.get(address).content.decode()


def stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]


def go_private(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_private=True)
    refresh_user.call(user.pk)


def log(name: str) -> list[dict[str, Any]]:
    entries: Any = get_client().xrange(name)
    return [{"kind": it["kind"], **json.loads(it["body"])} for _, it in entries]


def test_who_takes_the_name_of_somebody_mentioned_sees_nothing_of_theirs(
    alice: User, carol: User
) -> None:
    status = post_status(author=alice, text="for @carol alone", visibility=Visibility.MENTIONED)
    drain()
    assert "for" in page(carol, f"/@alice/{status.pk}/")
    delete_account(user=carol)
    drain()
    later = make_user("carol", date_joined=timezone.now() + timedelta(minutes=1))
    refresh_statuses([status.pk])
    assert browser_of(later).get(f"/@alice/{status.pk}/").status_code == 404
    assert stored(status).people == set()


@pytest.mark.parametrize("limit", [go_private, lambda user: silence(user=user)])
def test_tags_and_languages_of_limited_accounts_are_no_news(alice: User, limit: Any) -> None:
    post_status(author=alice, text="#open secret", language="de")
    drain()
    limit(alice)
    alice.refresh_from_db()
    post_status(author=alice, text="#closed secret", language="eo")
    drain()
    assert [it.name for it in trending_tags(10)] == ["open"]
    assert [it.code for it in seen()] == []


@pytest.mark.parametrize("kept_away_by", ["block", "mute"])
def test_nobody_is_told_of_what_unwanted_people_do(
    alice: User, bob: User, carol: User, kept_away_by: str
) -> None:
    status = stored(post_status(author=alice, text="Tea at five"))
    like(user=bob, status=status)
    like(user=carol, status=status)
    drain()
    assert "/@bob/" in page(alice, "/notifications/")
    if kept_away_by == "block":
        blocks_and_mutes.block(blocker=alice, blocked=bob)
    else:
        blocks_and_mutes.mute(user=alice, muted=bob)
    drain()
    found = page(alice, "/notifications/")
    assert "/@bob/" not in found
    assert "/@carol/" in found
    assert "others" not in found


def test_a_covered_post_stays_covered_in_a_notification(alice: User, carol: User) -> None:
    status = post_status(author=carol, text="@alice look at this")
    drain()
    mark_sensitive(status=status)
    drain()
    found = page(alice, "/notifications/")
    assert "look at this" not in found
    assert "Marked as sensitive" in found


def test_versions_name_nobody_who_is_blocked(alice: User, bob: User, carol: User) -> None:
    status = post_status(author=alice, text="with @bob")
    edit_status(status=status, by=alice, text="with @bob, later")
    address = f"/@alice/{status.pk}/history/"
    assert 'href="/@bob/"' in page(carol, address)
    blocks_and_mutes.block(blocker=bob, blocked=carol)
    assert 'href="/@bob/"' not in page(carol, address)


def test_who_boosted_a_post_is_known_to_those_who_see_the_boost(
    alice: User, bob: User, carol: User
) -> None:
    status = post_status(author=alice, text="Tea at five")
    boost(user=bob, status=stored(status))
    address = f"/@alice/{status.pk}/boosts/"
    assert "@bob" in page(carol, address)
    go_private(bob)
    assert "@bob" not in page(carol, address)
    assert "@bob" not in page(None, address)
    follow(follower=carol, followee=bob)  # asks, no more
    assert "@bob" not in page(carol, address)
    assert "@bob" in page(bob, address)


def test_nobody_learns_that_a_post_for_mentioned_people_was_deleted(
    alice: User, bob: User, carol: User
) -> None:
    status = post_status(author=alice, text="@carol psst", visibility=Visibility.MENTIONED)
    drain()
    delete_status(status=status, by=alice)
    drain()
    for name in (keys.event_log(), keys.private_log()):
        assert [it for it in log(name) if str(it.get("id")) == str(status.pk)] == []


def test_a_hidden_post_and_none_look_the_same_to_who_would_delete_it(
    alice: User, carol: User
) -> None:
    hidden = post_status(author=alice, text="psst", visibility=Visibility.FOLLOWERS)
    shown = post_status(author=alice, text="hello")
    browser = browser_of(carol)
    assert browser.get(f"/statuses/{hidden.pk}/delete/").status_code == 404
    assert browser.get(f"/statuses/{hidden.pk + 1}/delete/").status_code == 404
    assert browser.get(f"/statuses/{shown.pk}/delete/").status_code == 403


def test_an_edit_of_a_boosted_post_is_for_followers_of_both(
    alice: User, bob: User, carol: User
) -> None:
    status = post_status(author=alice, text="hello")
    boost(user=carol, status=stored(status))
    go_private(alice)
    edit_status(status=status, by=alice, text="for followers now")
    drain()
    assert "for followers now" not in str(log(keys.event_log()))
    edits = [it for it in log(keys.private_log()) if it["kind"] == "edit"]
    assert [("original" in it, "narrow" in it) for it in edits] == [(False, False), (True, True)]


def home_stream(user: User, authors: set[int]) -> OpenStream:
    listener = Listener(user_id=user.pk, session_key="of a browser")
    wanted = Filter(authors=frozenset(authors))
    return OpenStream(Lines(), wanted, listener=listener, stream_name="home", home_of=user.pk)


def test_the_later_of_two_looks_at_a_viewpoint_counts(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has read what was true before the block, and is told to wait; the other overtakes it."""
    slow, go_on = asyncio.Event(), asyncio.Event()
    before = viewpoint.viewpoint_of(bob.pk)
    blocks_and_mutes.block(blocker=alice, blocked=bob)

    async def read(_work: Any, user_id: int) -> viewpoint.Viewpoint:
        if not slow.is_set():
            slow.set()
            await go_on.wait()
            return before
        return viewpoint.Viewpoint(blocked=frozenset({alice.pk}))

    async def scenario(hub: Hub) -> None:
        stream = home_stream(bob, {alice.pk})
        join(hub, stream)
        late = asyncio.create_task(visible.look_again(hub, [stream]))
        await slow.wait()
        await visible.look_again(hub, [stream])
        go_on.set()
        await late
        assert stream.viewpoint.blocked == {alice.pk}

    monkeypatch.setattr(visible, "in_thread", read)
    run(scenario)


def test_who_was_blocked_while_redis_was_away_is_known_before_what_they_said(
    alice: User, bob: User
) -> None:
    """A process that reconnects catches up with both."""
    post_status(author=alice, text="long ago")

    async def scenario(hub: Hub) -> None:
        stream = home_stream(bob, {alice.pk, bob.pk})
        join(hub, stream)
        position = hub.position
        hub.is_subscribed = False
        await asyncio.to_thread(block_and_post)
        await until(lambda: hub.position > position)
        # As if none of it had arrived: it is subscribed once more.
        waiting(stream)
        hub.position = stream.position = position
        stream.viewpoint, stream.viewpoint_turn = viewpoint.NOBODY, 0
        again = {"type": "subscribe", "channel": keys.event_channel(), "data": 1}
        await subscription._receive(hub, again)
        assert [it["text"] for it in waiting(stream) if "text" in it] == ["mine"]

    def block_and_post() -> None:
        blocks_and_mutes.block(blocker=bob, blocked=alice)
        post_status(author=alice, text="hers")
        post_status(author=bob, text="mine")

    run(scenario)


def test_streams_do_not_link_to_people_who_are_blocked(alice: User, bob: User, carol: User) -> None:
    blocks_and_mutes.block(blocker=bob, blocked=carol)

    async def scenario(hub: Hub) -> None:
        blind, other = home_stream(bob, {alice.pk}), home_stream(alice, {alice.pk})
        join(hub, blind, other)
        await visible.look_again(hub, [blind, other])
        await asyncio.to_thread(post_status, author=alice, text="with @carol")
        await until(lambda: bool(blind.writer.buffer) and bool(other.writer.buffer))
        assert [it["entities"]["user_mentions"] for it in waiting(blind)] == [[]]
        assert [len(it["entities"]["user_mentions"]) for it in waiting(other)] == [1]

    run(scenario)


LOSSES: dict[str, Callable[[User, User], object]] = {
    "block": lambda alice, bob: blocks_and_mutes.block(blocker=alice, blocked=bob),
    "unfollow": lambda alice, bob: unfollow(follower=bob, followee=alice),
    "suspension": lambda alice, _bob: suspend(user=alice),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_slow_reader_gets_nothing_of_whom_they_lost_meanwhile(
    alice: User, bob: User, loss: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = post_status(author=bob, text="long ago")
    for text in ("one", "two", "three"):
        post_status(author=alice, text=text, visibility=Visibility.FOLLOWERS)

    async def scenario(hub: Hub) -> None:
        stream = home_stream(bob, {alice.pk, bob.pk})
        hub.join(stream)
        rounds: list[int] = []

        async def read_slowly() -> None:
            rounds.append(len(rounds))
            if len(rounds) == 3:
                await asyncio.to_thread(LOSSES[loss], alice, bob)
                await until(lambda: has_lost(hub, stream, alice))

        monkeypatch.setattr(stream.writer, "wait_for_room", read_slowly)
        await replay(hub, stream, after=first.pk)
        assert len(rounds) == 4
        assert [it["text"] for it in waiting(stream)] == ["long ago", "one"]

    run(scenario)


def has_lost(hub: Hub, stream: OpenStream, author: User) -> bool:
    gone = hub.suspended | stream.viewpoint.blocked
    return author.pk in gone or author.pk not in stream.wanted.authors


def test_a_suspension_counts_from_the_next_event(alice: User, bob: User) -> None:
    """No chore has to come round first."""

    async def scenario(hub: Hub) -> None:
        stream = home_stream(bob, {alice.pk, bob.pk})
        join(hub, stream)
        await asyncio.to_thread(suspend_and_post)
        await until(lambda: bool(stream.writer.buffer))
        assert [it["text"] for it in waiting(stream)] == ["mine"]

    def suspend_and_post() -> None:
        suspend(user=alice)
        post_status(author=alice, text="hers")
        post_status(author=bob, text="mine")

    run(scenario)


def test_what_everybody_could_see_is_not_replayed_into_public_streams_when_it_is_private(
    alice: User, bob: User
) -> None:
    """Not even to a follower: programs that read public streams have no right to it."""
    post_status(author=alice, text="hello")
    go_private(alice)
    entries: Any = get_client().xrange(keys.event_log())
    events = [StreamEvent.from_log(*entry) for entry in entries]
    assert shown_now(events, viewer_id=bob.pk, for_everybody=True) == []
    assert len(shown_now(events, viewer_id=bob.pk, for_everybody=False)) == 1
