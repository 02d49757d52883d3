"""A replay shows what may be shown now, and leaves the event loop to everybody else."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from redistools.client import get_async_client
from statuses.models import Status
from statuses.services import delete_status, post_status
from statuses.words.terms import phrase_of
from streaming.asked.listener import Listener
from streaming.engine import log, pacing, writer
from streaming.engine.hub import Hub
from streaming.engine.open_stream import OpenStream
from streaming.engine.pacing import ReplayQueue
from streaming.engine.replay import replay
from streaming.event import StreamEvent
from streaming.server import chores
from tests.streaming.conftest import Listen
from tests.streaming.publishing import publish_posts, stored
from tests.streaming.test_hub import join, open_stream, run, until, waiting
from users.models import User
from users.services import delete_account, restore, suspend

SAMPLE = "/1.1/statuses/sample.json"
FILTER = "/1.1/statuses/filter.json"
READER = Listener(user_id=1, token_id=1)
MOMENT = datetime(2026, 11, 11, tzinfo=UTC)


def test_what_is_deleted_is_not_shown_but_its_deletion_is(listen: Listen, alice: User) -> None:
    first = post_status(author=alice, text="first").pk
    gone = post_status(author=alice, text="red, a secret")
    stays = post_status(author=alice, text="red, for all").pk
    delete_status(status=gone, by=alice)
    stream = listen(FILTER, params={"track": "red", "since_id": first})
    other = listen(FILTER, params={"track": "blue", "since_id": first})
    stream.wait(lambda it: it.deleted)
    live = post_status(author=alice, text="red and blue").pk
    for each in (stream, other):
        each.wait(lambda it: live in it.ids)
    assert stream.ids == [stays, live]
    assert stream.deleted == [gone.pk]
    assert b"secret" not in stream.raw
    assert other.deleted == []


def test_what_sql_has_deleted_is_not_shown_before_redis_knows(listen: Listen, alice: User) -> None:
    first = post_status(author=alice, text="first").pk
    gone = post_status(author=alice, text="a secret")
    Status.objects.filter(pk=gone.pk).delete()  # as if the process had died right after
    stream = listen(SAMPLE, params={"percent": 100, "since_id": first})
    last = post_status(author=alice, text="last").pk
    stream.wait(lambda it: it.ids == [last])


def test_nothing_of_a_deleted_account_is_shown(listen: Listen, alice: User, bob: User) -> None:
    first = post_status(author=bob, text="first").pk
    gone = [post_status(author=alice, text=f"a secret {n}").pk for n in range(3)]
    mention = post_status(author=bob, text="@alice, stay!").pk
    delete_account(user=alice)
    stream = listen(SAMPLE, params={"percent": 100, "since_id": first})
    stream.wait(lambda it: it.ids == [mention] and set(it.deleted) == set(gone))
    assert b"secret" not in stream.raw
    assert stream.messages[0]["entities"]["user_mentions"] == []


def test_a_suspended_account_is_not_shown_until_it_is_restored(
    listen: Listen, alice: User, bob: User
) -> None:
    first = post_status(author=bob, text="first").pk
    hidden = post_status(author=alice, text="hidden").pk
    mention = post_status(author=bob, text="@alice and @bob").pk
    everything = {"percent": 100, "since_id": first}
    suspend(user=alice)
    stream = listen(SAMPLE, params=everything)
    stream.wait(lambda it: it.ids == [mention])
    (named,) = stream.messages[0]["entities"]["user_mentions"]
    assert named["screen_name"] == "bob"
    assert listen(FILTER, params={"follow": "alice"}).response.status_code == 406
    assert listen(FILTER, params={"follow": alice.pk}).response.status_code == 406
    restore(user=alice)
    again = listen(SAMPLE, params=everything)
    again.wait(lambda it: it.ids == [hidden, mention])
    assert len(again.messages[1]["entities"]["user_mentions"]) == 2


def test_nobody_is_sent_the_post_of_a_suspended_author(alice: User) -> None:
    """As when it was written before, and a worker publishes it only now."""
    hub = Hub()
    it = open_stream(READER, percent=100)
    join(hub, it)
    post_status(author=alice, text="hello")
    hub.suspended = frozenset({alice.pk})
    (event,) = asyncio.run(read_everything())[-1:]
    hub.dispatch(event)
    assert not it.writer.buffer
    assert hub.position == event.position
    hub.suspended = frozenset()
    hub.dispatch(event)
    assert len(waiting(it)) == 1


def test_a_hub_learns_every_second_who_is_suspended(alice: User, bob: User) -> None:
    suspend(user=alice)

    async def scenario(hub: Hub) -> None:
        await chores._do_slow_chores(hub, second=1)
        assert hub.suspended == {alice.pk}
        await asyncio.to_thread(restore, user=alice)
        await chores._do_slow_chores(hub, second=2)
        assert hub.suspended == set()

    run(scenario)


async def read_everything() -> list[StreamEvent]:
    try:
        return await log.read_after(0)
    finally:
        await get_async_client().aclose()


def publish(author: User, numbers: Iterable[int]) -> None:
    """Statuses with these ids, as if somebody had posted them."""
    rows = [Status(id=n, author=author, text=f"{n}", created_at=MOMENT) for n in numbers]
    Status.objects.bulk_create(rows)
    publish_posts([stored(row.pk, author_id=author.pk, text=row.text) for row in rows])


async def drain(it: OpenStream, ids: list[int]) -> None:
    while True:
        ids += [message["id"] for message in waiting(it)]
        await asyncio.sleep(0)


async def start_of_log() -> int:
    extent = await log.extent_kept()
    assert extent is not None
    return extent.floor


def test_the_loop_goes_round_during_a_replay(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has no time at all pauses at every event."""
    monkeypatch.setattr(pacing, "SLICE_SECONDS", 0.0)
    publish(alice, range(1, 501))
    rounds = 0

    async def count_rounds() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += 1

    async def scenario(hub: Hub) -> None:
        it = open_stream(READER, track=frozenset({phrase_of("nowhere")}))
        counting = asyncio.create_task(count_rounds())
        await replay(hub, it, after=await start_of_log())
        counting.cancel()

    run(scenario)
    assert rounds >= 500


def test_others_are_live_while_somebody_replays_thousands(alice: User) -> None:
    publish(alice, range(1, 3_001))
    replayed: list[int] = []

    async def scenario(hub: Hub) -> None:
        live, late = (open_stream(READER, percent=100) for _ in range(2))
        join(hub, live)
        replaying = asyncio.create_task(replay(hub, late, after=await start_of_log()))
        await until(lambda: len(late.writer.buffer) > 0)
        await asyncio.to_thread(publish, alice, [9_999])
        await until(lambda: len(live.writer.buffer) == 1)
        assert not replaying.done()  # nobody has read it: it waits for room
        draining = asyncio.create_task(drain(late, replayed))
        await replaying
        await until(lambda: len(replayed) == 3_001)
        draining.cancel()

    run(scenario)
    assert replayed == [*range(1, 3_001), 9_999]


def test_words_are_found_when_a_status_is_posted_and_never_again(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(alice, range(1, 11))

    def never(_text: str) -> frozenset[str]:
        raise AssertionError("the words were looked for again")

    monkeypatch.setattr("streaming.event.words_of", never)

    async def scenario(hub: Hub) -> None:
        it = open_stream(READER, track=frozenset({phrase_of("7")}))
        await replay(hub, it, after=await start_of_log())
        assert [message["id"] for message in waiting(it)] == [7]

    run(scenario)


def test_few_work_at_once_and_of_each_user_one() -> None:
    at_work: Counter[int] = Counter()
    most_of_one = most_of_all = 0

    async def work(shared: ReplayQueue, user_id: int) -> None:
        nonlocal most_of_one, most_of_all
        async with shared.turn_of(user_id):
            at_work[user_id] += 1
            most_of_one = max(most_of_one, at_work[user_id])
            most_of_all = max(most_of_all, at_work.total())
            await asyncio.sleep(0)
            at_work[user_id] -= 1

    async def scenario() -> None:
        shared = ReplayQueue()
        await asyncio.gather(*(work(shared, n % 5) for n in range(50)))

    asyncio.run(scenario())
    assert (most_of_one, most_of_all) == (1, pacing.REPLAYS_AT_ONCE)


def test_somebody_who_does_not_read_keeps_nobody_from_replaying(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "MAX_MESSAGES", 100)
    publish(alice, range(1, 201))

    async def scenario(hub: Hub) -> None:
        start = await start_of_log()
        deaf = [
            asyncio.create_task(replay(hub, open_stream(READER, percent=100), after=start))
            for _ in range(5)
        ]
        seen: list[int] = []
        it = open_stream(READER, percent=100)
        draining = asyncio.create_task(drain(it, seen))
        await replay(hub, it, after=start)
        await until(lambda: len(seen) == 200)
        for task in (*deaf, draining):
            assert not task.done()
            task.cancel()

    run(scenario)
