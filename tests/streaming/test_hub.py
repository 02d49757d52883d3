"""A hub and its chores inside the test process, on the test's Redis or on a cluster."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import pytest
import redis
from django.conf import settings as site
from oauth2_provider.models import AccessToken
from pytest_django import Settings

from access import tokens
from redistools import keys
from redistools.client import get_async_client, get_client
from relations.events import FollowChange
from statuses.services import post_status
from statuses.words.terms import phrase_of
from streaming import publishing
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter
from streaming.engine import log, subscription
from streaming.engine.hub import Hub
from streaming.engine.open_stream import OpenStream
from streaming.engine.replay import replay
from streaming.engine.threads import in_thread
from streaming.event import StreamEvent
from streaming.formats import Lines
from streaming.server import chores, seats
from streaming.server.app import end
from taskqueue.consequences import SharedBatch
from tests.streaming.publishing import publish_deletions, publish_posts, stored
from users.models import User

Scenario = Callable[[Hub], Awaitable[None]]


def open_stream(listener: Listener, **wanted: Any) -> OpenStream:
    return OpenStream(Lines(), Filter(**wanted), listener=listener, stream_name="filter")


def waiting(it: OpenStream) -> list[dict[str, Any]]:
    lines = b""
    while it.writer.buffer:
        lines += it.writer.buffer.take()
    return [json.loads(line) for line in lines.split(b"\r\n") if line]


def run(scenario: Scenario) -> None:
    async def with_hub() -> None:
        async with running_hub() as hub:
            await scenario(hub)

    asyncio.run(asyncio.wait_for(with_hub(), 20))


@asynccontextmanager
async def running_hub() -> AsyncIterator[Hub]:
    hub = Hub()
    listening = asyncio.create_task(subscription.keep_subscribed(hub))
    try:
        await until(lambda: hub.is_subscribed)
        yield hub
    finally:
        await end([listening])
        await get_async_client().aclose()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def join(hub: Hub, *clients: OpenStream) -> None:
    for it in clients:
        hub.join(it)
        hub.go_live(it, after=hub.position)


def publish_three_deletions(author_id: int) -> None:
    publish_deletions(author_id, [1, 2, 3])


async def gets_three_deletions(hub: Hub) -> None:
    listener = Listener(user_id=1, token_id=1)
    interested, stranger = open_stream(listener, follow=frozenset({7})), open_stream(listener)
    join(hub, interested, stranger)
    await asyncio.to_thread(publish_three_deletions, 7)
    await until(lambda: len(interested.writer.buffer) == 3)
    assert [m["delete"]["status"]["id"] for m in waiting(interested)] == [1, 2, 3]
    assert not stranger.writer.buffer


def test_events_reach_a_hub() -> None:
    run(gets_three_deletions)


@pytest.mark.usefixtures("site_on_a_cluster")
def test_events_reach_a_hub_on_a_cluster() -> None:
    run(gets_three_deletions)


def test_a_message_that_never_came_is_read_from_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second of three is lost on its way; the third names it as the one before."""
    # To a hub that knows of no event the first of all would be a gap too.
    publish_deletions(7, [4])
    received = subscription._receive
    seen: list[dict[str, Any]] = []

    async def lossy(hub: Hub, message: dict[str, Any]) -> None:
        if message["type"] == "message":
            seen.append(message)
            if len(seen) == 2:
                return
        await received(hub, message)

    monkeypatch.setattr(subscription, "_receive", lossy)
    run(gets_three_deletions)
    assert len(seen) == 3


@pytest.mark.usefixtures("transactional_db")
def test_the_last_messages_that_never_came_are_found_by_a_chore(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No later message names them as the ones before it."""
    received = subscription._receive
    lost: list[dict[str, Any]] = []

    async def lossy(hub: Hub, message: dict[str, Any]) -> None:
        if message["type"] == "message":
            lost.append(message)
        else:
            await received(hub, message)

    async def scenario(hub: Hub) -> None:
        doing_chores = asyncio.create_task(chores.do_chores(hub))
        await gets_three_deletions(hub)
        await until(lambda: len(lost) == 3)
        doing_chores.cancel()

    monkeypatch.setattr(subscription, "_receive", lossy)
    monkeypatch.setattr(chores, "LOOK_INTO_LOG_SECONDS", 1)
    run(scenario)


def test_a_missed_post_that_is_deleted_by_now_closes_nobody() -> None:
    """The log begins after it, but not because it was trimmed."""
    first, _ = publish_posts([stored(status_id, text="soon gone") for status_id in (1, 2)])
    publish_deletions(7, [1, 2])

    async def scenario(hub: Hub) -> None:
        it = open_stream(Listener(user_id=1, token_id=1), track=frozenset({phrase_of("soon")}))
        hub.position = first - 1  # as if all four had been lost
        join(hub, it)
        await subscription.catch_up(hub)
        assert not it.closed
        assert [m["delete"]["status"]["id"] for m in waiting(it)] == [1, 2]

    run(scenario)


def test_a_pushed_out_client_is_found_when_its_lease_is_renewed(settings: Settings) -> None:
    """The notice may get lost; the seat is lost in any case."""
    settings.STREAM_CONNECTIONS_PER_TOKEN = 1

    async def scenario(hub: Hub) -> None:
        listener = Listener(user_id=1, token_id=1)
        old, new = open_stream(listener), open_stream(listener)
        join(hub, old, new)
        for it in (old, new):
            of_token, _of_user = seats._seats(listener)
            await asyncio.to_thread(of_token.enter_as_newest, it.ticket)
        await chores.keep_seats(hub)
        assert waiting(old)[0]["disconnect"]["code"] == 7
        assert not new.closed

    run(scenario)


def test_a_redis_that_lost_the_seats_closes_nobody_who_has_one(settings: Settings) -> None:
    settings.STREAM_CONNECTIONS_PER_TOKEN = 2

    async def scenario(hub: Hub) -> None:
        listener = Listener(user_id=1, token_id=1)
        clients = [open_stream(listener) for _ in range(2)]
        join(hub, *clients)
        await chores.keep_seats(hub)
        assert not any(it.closed for it in clients)

    run(scenario)


@pytest.mark.parametrize("fate", ["token deleted", "token expired", "account suspended"])
def test_who_loses_the_right_to_listen_is_closed_soon(carol: User, alice: User, fate: str) -> None:
    token, _ = tokens.create_token(user=carol, name="hers")
    other, _ = tokens.create_token(user=alice, name="another")
    row = AccessToken.objects.filter(pk=token.pk)
    if fate == "token deleted":
        row.delete()
    elif fate == "token expired":
        row.update(expires="2020-01-01T00:00Z")
    else:
        User.objects.filter(pk=carol.pk).update(is_active=False)

    async def scenario(hub: Hub) -> None:
        gone = open_stream(Listener(user_id=carol.pk, token_id=token.pk))
        stays = open_stream(Listener(user_id=alice.pk, token_id=other.pk))
        join(hub, gone, stays)
        await chores.check_listeners(hub)
        assert waiting(gone)[0]["disconnect"]["code"] == 6
        assert not stays.closed

    run(scenario)


def test_who_logs_out_is_closed_soon(carol: User, client_browser: str) -> None:
    async def scenario(hub: Hub) -> None:
        logged_out = open_stream(Listener(user_id=carol.pk, session_key="nonsense"))
        stays = open_stream(Listener(user_id=carol.pk, session_key=client_browser))
        join(hub, logged_out, stays)
        await chores.check_listeners(hub)
        assert logged_out.closed
        assert not stays.closed

    run(scenario)


@pytest.fixture
def client_browser(carol: User, client: Any) -> str:
    client.force_login(carol)
    return str(client.cookies[site.SESSION_COOKIE_NAME].value)


def test_what_comes_while_a_replay_reads_nothing_is_not_missed(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the newest events are private, a public stream finds an empty page."""
    read_after, posted = log.read_after, list[int]()

    async def scenario(hub: Hub) -> None:
        async def read_slowly(position: int, *, private: bool = True) -> list[StreamEvent]:
            page = await read_after(position, private=private)
            if not private and not posted:
                assert page == []
                before = hub.position
                post = partial(post_status, author=alice, text="red, meanwhile")
                posted.append((await in_thread(post)).pk)
                await until(lambda: hub.position > before)
            return page

        monkeypatch.setattr(log, "read_after", read_slowly)
        await in_thread(publish_follow)
        await until(lambda: hub.position > 0)
        it = open_stream(Listener(user_id=1, token_id=1), track=frozenset({phrase_of("red")}))
        hub.join(it)
        await replay(hub, it, after=0)
        await until(lambda: bool(it.writer.buffer))
        assert [status["id"] for status in waiting(it)] == posted

    run(scenario)


def publish_follow() -> None:
    batch = SharedBatch(get_client())
    publishing.add_follow(FollowChange(batch, 7, 8, follows=True, changed=[]))
    batch.run()


def test_a_log_that_loses_its_memory_while_it_is_read_ends_streams(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between two reads: what comes next is not what came next."""
    read_after, pages = log.read_after, 0

    async def read_and_lose(position: int) -> list[StreamEvent]:
        nonlocal pages
        pages += 1
        if pages == 2:
            await asyncio.to_thread(lose_the_log)
        return await read_after(position)

    def lose_the_log() -> None:
        get_client().delete(keys.event_log(), keys.event_marks())
        publish_posts([stored(2, text="after the gap")])

    async def scenario(hub: Hub) -> None:
        it = open_stream(Listener(user_id=1, token_id=1), track=frozenset({phrase_of("gap")}))
        join(hub, it)
        await asyncio.to_thread(publish_posts, [stored(1, text="before the gap")])
        await until(lambda: it.closed)

    monkeypatch.setattr(log, "read_after", read_and_lose)
    run(scenario)
    assert pages >= 2


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("on", ["a server", "a cluster"])
@pytest.mark.parametrize("reads", ["catching up", "a replay"])
def test_what_is_published_while_the_logs_are_read_is_not_passed_over(
    request: pytest.FixtureRequest, on: str, reads: str
) -> None:
    """A public event, then a private one: a reader of both logs must not find the second alone."""
    if on == "a cluster":
        request.getfixturevalue("site_on_a_cluster")

    async def scenario(hub: Hub) -> None:
        await asyncio.to_thread(publish_deletions, 7, [1])
        await until(lambda: hub.position > 0)
        home = open_home(7)
        hub.join(home)
        with after_the_first_read(publish_deletion_and_follow):
            if reads == "catching up":
                hub.go_live(home, after=hub.position)
                await asyncio.to_thread(cut_subscriptions)
                await until(lambda: home.follows_changed == 1)
            else:
                await replay(hub, home, after=0)
                await until(lambda: home.follows_changed == 1)
        assert waiting(home)[-1]["delete"]["status"]["id"] == 2

    run(scenario)


def open_home(user_id: int) -> OpenStream:
    listener, wanted = Listener(user_id=user_id, token_id=1), Filter(authors=frozenset({user_id}))
    return OpenStream(Lines(), wanted, listener=listener, stream_name="home", home_of=user_id)


def cut_subscriptions() -> None:
    client: Any = get_client()
    nodes = client.get_nodes() if isinstance(client, redis.RedisCluster) else []
    for server in [it.redis_connection for it in nodes] or [client]:
        server.client_kill_filter(_type="pubsub")


def publish_deletion_and_follow() -> None:
    publish_deletions(7, [2])
    publish_follow()


@contextmanager
def after_the_first_read(act: Callable[[], object]) -> Iterator[None]:
    """Somebody else is quick: once a log has been read, before the answer is looked at."""
    client: Any = get_async_client()
    execute, done = client.execute_command, list[bool]()

    async def execute_slowly(name: str, *arguments: Any, **options: Any) -> Any:
        answer = await execute(name, *arguments, **options)
        if name in ("XRANGE", "XREAD") and not done:
            done.append(True)
            await asyncio.to_thread(act)
        return answer

    client.execute_command = execute_slowly
    try:
        yield
    finally:
        del client.execute_command
    assert done
