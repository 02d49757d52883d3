"""What only one reader's open pages get: their notifications."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as site

from notifications import services
from notifications.models import Notification
from notifications.publishing import publish
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from statuses.reactions.services import like, unlike
from statuses.services import post_status
from statuses.store import find_statuses
from streaming import publishing
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter
from streaming.engine.hub import Hub
from streaming.engine.open_stream import OpenStream
from streaming.formats import Lines, ServerSent
from streaming.server.seats import take_seat
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.running_site import wait_for
from tests.streaming.conftest import Listen
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource
from tests.streaming.test_hub import join, run, until
from users.models import User
from users.services import suspend

Open = Callable[[User], EventSource]


@pytest.fixture
def open_home(server: StreamServer) -> Iterator[Open]:
    with contextlib.ExitStack() as stack:

        def open_stream(user: User) -> EventSource:
            cookie = browser_of(user).cookies[site.SESSION_COOKIE_NAME].value
            return stack.enter_context(contextlib.closing(EventSource(server, cookie)))

        yield open_stream


def news(home: EventSource, count: int) -> list[dict[str, Any]]:
    """The contents of this many notification events."""

    def found() -> list[str]:
        return [it.data for it in home.messages if it.event == "notification"]

    wait_for(lambda: len(found()) >= count, what=home.text[-500:])
    return [json.loads(data) for data in found()]


# `server` comes first: it says under which keys the accounts below are made.
@pytest.mark.usefixtures("server")
def test_all_open_pages_of_the_recipient_learn_at_once_and_nobody_else(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open, listen: Listen
) -> None:
    drain()
    services.mark_read(user=alice)
    firehose = listen("/1.1/statuses/firehose.json")
    first, second, bobs = open_home(alice), open_home(alice), open_home(bob)
    status = post_status(author=alice, text="Tea at five")
    like(user=carol, status=find_statuses([status.pk])[status.pk])
    drain()
    row = Notification.objects.get(recipient=alice, kind="like")
    for home in (first, second):
        [event] = news(home, 1)
        assert event["unread"] == 1
        assert f'id="notification-{row.pk}"' in event["html"]
        assert 'class="notification unread"' in event["html"]
        assert "Tea at five" in event["html"]
    browser_of(alice).get("/notifications/")
    for home in (first, second):
        assert news(home, 2)[1] == {"unread": 0, "html": ""}
    unlike(user=carol, status_id=status.pk)
    drain()
    assert news(first, 3)[2] == {"unread": 0, "html": ""}
    last = post_status(author=alice, text="the end")
    firehose.wait(lambda it: last.pk in it.ids)
    wait_for(lambda: "the end" in bobs.text, what=bobs.text)
    assert "notification" not in bobs.text
    assert b"notification" not in firehose.raw


@pytest.mark.usefixtures("server")
def test_a_private_event_does_not_move_the_place_to_resume_from(
    server: StreamServer, alice: User, carol: User, open_home: Open
) -> None:
    home = open_home(alice)
    post_status(author=carol, text="@alice hello")
    drain()
    news(home, 1)
    assert [it.id for it in home.messages if it.event == "notification"] == [""]


def test_what_is_hidden_from_the_recipient_comes_without_html(alice: User, carol: User) -> None:
    """Suspended after it was counted, and before it is shown."""
    post_status(author=carol, text="@alice hello")
    drain()
    suspend(user=carol)
    told = Notification.objects.get(recipient=alice, kind="mention")
    take_seat(Listener(alice.pk), "an open page")
    assert published(alice, told) == {"unread": 1, "html": {}}


def test_nothing_is_rendered_for_a_recipient_who_has_no_page_open(alice: User, carol: User) -> None:
    post_status(author=carol, text="@alice hello")
    drain()
    told = Notification.objects.get(recipient=alice, kind="mention")
    assert published(alice, told) == {"unread": 1, "html": {}}
    take_seat(Listener(alice.pk), "an open page")
    assert "/@carol/" in published(alice, told)["html"]["en"]


def published(user: User, told: Notification) -> dict[str, Any]:
    """The content of the event that says so."""
    client: Any = get_client()  # untyped in redis-py
    pubsub = client.pubsub()
    pubsub.subscribe(keys.personal_channel())
    publish(user.pk, [told.pk], [told.pk])
    heard = [pubsub.get_message(timeout=30) for _ in range(2)]
    pubsub.close()
    [message] = [json.loads(it["data"]) for it in heard if it and it["type"] == "message"]
    assert message["users"] == [user.pk]
    content: dict[str, Any] = message["event"]["notification"]
    return content


def tell(user_id: int, text: str) -> None:
    batch = Batch(get_client())
    publishing.add_personal(batch, user_id, "notification", {"html": text})
    batch.run()


def stream_of(user_id: int, *, home: bool) -> OpenStream:
    dialect = ServerSent("en") if home else Lines()
    listener = Listener(user_id=user_id, session_key="of a browser")
    home_of = user_id if home else None
    return OpenStream(
        dialect, Filter(percent=100), listener=listener, stream_name="x", home_of=home_of
    )


async def reaches_the_homes_of_one_user(hub: Hub) -> None:
    """Not other streams of theirs: these may belong to programs that have no right to it."""
    homes = [stream_of(1, home=True) for _ in range(2)]
    others = [stream_of(1, home=False), stream_of(2, home=True)]
    join(hub, *homes, *others)
    await asyncio.to_thread(tell, 1, "Zoë\n\u2028")
    await asyncio.to_thread(tell, 3, "nobody is there")
    await until(lambda: all(it.writer.buffer for it in homes))
    for it in homes:
        said = it.writer.buffer.take().decode()
        assert said.startswith("event: notification\ndata: ")
        assert json.loads(said.partition("data: ")[2]) == {"html": "Zoë\n\u2028"}
    assert not any(it.writer.buffer for it in others)
    assert get_client().exists(keys.event_log()) == 0


def test_a_private_event_reaches_the_homes_of_one_user() -> None:
    run(reaches_the_homes_of_one_user)


@pytest.mark.usefixtures("site_on_a_cluster")
def test_a_private_event_reaches_the_homes_of_one_user_on_a_cluster() -> None:
    run(reaches_the_homes_of_one_user)
