"""The stream of an open dashboard: for those who may read it, for as long as they may."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.conf import settings as site
from django.test import Client

from insight.recording.buffer import buffer
from insight.recording.sending import flush
from staff.roles import Role
from staff.services import give_role, take_role
from tests.cast import browser_of
from tests.running_site import wait_for
from tests.streaming.conftest import server, shared_server
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource
from users.models import User

__all__ = ["server", "shared_server"]

pytestmark = pytest.mark.usefixtures("measuring")

# `server` comes first: it says under which keys the accounts are made.


def listen(server: StreamServer, browser: Client, query: str = "range=year") -> EventSource:
    cookie = browser.cookies[site.SESSION_COOKIE_NAME].value
    return EventSource(server, cookie, path=f"/streaming/insight?{query}")


@pytest.fixture
def stream(server: StreamServer, support: Client) -> Iterator[EventSource]:
    with closing(listen(server, support)) as source:
        yield source


def test_it_tells_all_and_then_what_has_changed(stream: EventSource) -> None:
    [first, *_] = stream.wait(1)
    assert first.event == "parts"
    parts = json.loads(first.data)
    assert {"troubles", "tiles", "meters", "frame-posts", "frame-errors"} <= parts.keys()
    buffer.count("posts", by=41)
    flush()
    wait_for(lambda: "41 in all" in stream.text, what="the new posts")
    changed = next(it for it in stream.messages if "41 in all" in it.data)
    assert "frame-kept_pages" not in json.loads(changed.data), "nothing is new there"


def test_it_speaks_the_language_of_its_reader(
    server: StreamServer, support: Client, helper: User
) -> None:
    User.objects.filter(pk=helper.pk).update(language="zh-hans")
    with closing(listen(server, support)) as stream:
        [first, *_] = stream.wait(1)
        assert "响应时间" in first.data


@pytest.mark.parametrize("who", ["member", "moderator"])
def test_nobody_else_may_open_it(server: StreamServer, alice: User, who: str) -> None:
    if who == "moderator":
        give_role(user=alice, role=Role.MODERATOR)
    with closing(listen(server, browser_of(alice))) as stream:
        assert stream.response.status_code == 403


def test_it_ends_with_the_right_however_that_was_taken(
    server: StreamServer, support: Client, helper: User
) -> None:
    """Without any order to end streams."""
    with closing(listen(server, support)) as stream:
        stream.wait(1)
        helper.groups.clear()
        wait_for(lambda: stream.messages[-1].event == "disconnect", what="the end")
        assert "may no longer read" in stream.messages[-1].data


def test_it_ends_at_once_with_the_role(server: StreamServer, support: Client, helper: User) -> None:
    """Also if they stay among the staff."""
    give_role(user=helper, role=Role.MODERATOR)
    with closing(listen(server, support)) as stream:
        stream.wait(1)
        take_role(user=helper, role=Role.SUPPORT)
        wait_for(lambda: stream.messages[-1].event == "disconnect", what="the end")
        assert "may no longer listen" in stream.messages[-1].data
    with closing(listen(server, support)) as stream:
        assert stream.response.status_code == 403
