"""Open pages get live updates in their own language."""

import contextlib
import json

import pytest
from django.conf import settings as site

from statuses.reactions.services import like
from statuses.services import post_status
from statuses.store import find_statuses
from streaming.asked.listener import Listener
from streaming.formats import ServerSent
from streaming.server.endpoints import language_of
from streaming.server.request import Request
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.running_site import wait_for
from tests.streaming.server import StreamServer
from tests.streaming.test_events import newest
from tests.streaming.test_home_stream import EventSource
from users.models import User


def asking(**headers: str) -> Request:
    encoded = [(name.replace("_", "-").encode(), it.encode()) for name, it in headers.items()]
    scope = {"method": "GET", "path": "/", "headers": encoded, "query_string": b""}
    return Request(scope, None)  # type: ignore[arg-type] # has no body


@pytest.mark.parametrize(
    ("of_account", "cookie", "accepted", "language"),
    [
        ("", "", "", "en"),
        ("", "", "zh-CN,en;q=0.5", "zh-hans"),
        ("", "en", "zh-CN", "en"),
        ("zh-hans", "en", "en", "zh-hans"),
    ],
)
def test_a_stream_chooses_like_the_page(
    of_account: str, cookie: str, accepted: str, language: str
) -> None:
    listener = Listener(user_id=1, language=of_account)
    request = asking(cookie=f"a=b; language={cookie}", accept_language=accepted)
    assert language_of(listener, request) == language


def test_an_event_is_formatted_once_for_each_language(alice: User) -> None:
    post_status(author=alice, text="hello")
    event = newest()
    for _ in range(2):
        assert ">now<" in ServerSent("en").event(event).decode()
        assert "刚刚" in ServerSent("zh-hans").event(event).decode()
    assert ServerSent("en").event(event) is ServerSent("en").event(event)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ({"en": "liked", "zh-hans": "喜欢了"}, "喜欢了"),
        ({"en": "liked"}, "liked"),
        ({}, ""),
        ("for everybody", "for everybody"),
    ],
)
def test_a_page_gets_its_own_language_of_what_is_for_one_user(html: object, shown: str) -> None:
    said = ServerSent("zh-hans").notice({"notification": {"unread": 1, "html": html}}).decode()
    assert json.loads(said.partition("data: ")[2]) == {"unread": 1, "html": shown}


@pytest.mark.usefixtures("server")
def test_two_open_pages_read_two_languages(
    server: StreamServer, alice: User, bob: User, carol: User
) -> None:
    User.objects.filter(pk=bob.pk).update(language="zh-hans")
    status = post_status(author=bob, text="Tea at five")
    drain()
    with contextlib.ExitStack() as stack:
        homes = [
            stack.enter_context(contextlib.closing(EventSource(server, _cookie(user))))
            for user in (bob, alice)
        ]
        post_status(author=alice, text="hello")
        like(user=carol, status=find_statuses([status.pk])[status.pk])
        drain()
        says(homes[0], "喜欢了")
        says(homes[0], "刚刚")
        says(homes[1], ">now<")


def says(home: EventSource, words: str) -> None:
    wait_for(lambda: words in home.text, seconds=10, what=home.text[-500:])


def _cookie(user: User) -> str:
    return browser_of(user).cookies[site.SESSION_COOKIE_NAME].value
