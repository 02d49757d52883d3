"""The browser's stream: what arrives in the reader's home."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from django.conf import settings as site
from django.test import Client as Browser

from relations.blocks_and_mutes.services import mute_word
from relations.services import follow, unfollow
from statuses.reactions.services import boost
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from tags.services import follow_tag, unfollow_tag
from tests import patient_http
from tests.cast import make_user
from tests.running_site import wait_for
from tests.streaming.server import StreamServer
from users.models import User

HOME = "/streaming/home"


class Message(NamedTuple):
    id: str
    event: str
    data: str


class EventSource:
    """Reads server-sent events as a browser does."""

    def __init__(
        self,
        server: StreamServer,
        cookie: str,
        last_event_id: str | None = None,
        path: str = HOME,
    ) -> None:
        headers = {"Cookie": f"{site.SESSION_COOKIE_NAME}={cookie}"}
        headers |= {"Last-Event-ID": last_event_id} if last_event_id else {}
        self.text = ""
        self._stream = httpx.stream("GET", server.url + path, headers=headers, timeout=60)
        self.response = self._stream.__enter__()
        self._chunks = self.response.iter_text()
        self.text += next(self._chunks)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(httpx.TransportError, httpx.StreamError):
            for chunk in self._chunks:
                self.text += chunk

    @property
    def messages(self) -> list[Message]:
        blocks = [block for block in self.text.split("\n\n")[:-1] if "event: " in block]
        return [self._message(block) for block in blocks]

    def _message(self, block: str) -> Message:
        fields: dict[str, list[str]] = {"id": [], "event": [], "data": []}
        for line in block.splitlines():
            name, _, value = line.partition(": ")
            fields[name].append(value)
        return Message(*("\n".join(values) for values in fields.values()))

    def wait(self, count: int) -> list[Message]:
        wait_for(lambda: len(self.messages) >= count, what=self.text[-500:])
        return self.messages

    def close(self) -> None:
        self._stream.__exit__(None, None, None)


Open = Callable[..., EventSource]


@pytest.fixture
def bobs_cookie(bob: User, client: Browser) -> str:
    client.force_login(bob)
    return client.cookies[site.SESSION_COOKIE_NAME].value


@pytest.fixture
def open_home(server: StreamServer, bobs_cookie: str) -> Iterator[Open]:
    with contextlib.ExitStack() as stack:

        def open_stream(**options: Any) -> EventSource:
            source = EventSource(server, bobs_cookie, **options)
            return stack.enter_context(contextlib.closing(source))

        yield open_stream


# `server` comes first: it says under which keys the accounts below are made.
pytestmark = pytest.mark.usefixtures("server")


def test_a_home_carries_what_the_reader_and_those_they_follow_post(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    home = open_home()
    assert home.response.headers["content-type"] == "text/event-stream"
    assert home.text.startswith(":)\n")
    status = post_status(author=alice, text="Hello <b>")
    post_status(author=carol, text="not for bob")
    own = post_status(author=bob, text="my own")
    delete_status(status=status, by=alice)
    first, second, third = home.wait(3)
    assert first.event == second.event == "update"
    assert f'id="status-{status.pk}"' in first.data
    assert "Hello &lt;b&gt;" in first.data
    assert f'id="status-{own.pk}"' in second.data
    assert third[1:] == ("delete", str(status.pk))
    assert int(first.id) < int(second.id) < int(third.id)


def test_follows_and_unfollows_count_from_the_moment_they_are_made(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    home = open_home()
    follow(follower=bob, followee=carol)
    post_status(author=carol, text="from carol")
    unfollow(follower=bob, followee=alice)
    post_status(author=alice, text="no longer from alice")
    unfollow(follower=bob, followee=carol)
    post_status(author=carol, text="no longer from carol")
    post_status(author=bob, text="the end")
    messages = home.wait(2)
    assert "from carol" in messages[0].data
    assert "the end" in messages[1].data


@pytest.mark.parametrize("action", ["hide", "fold"])
def test_posts_with_muted_words_wait_for_the_next_page(
    server: StreamServer, alice: User, bob: User, open_home: Open, action: str
) -> None:
    """Nothing can be folded away in a stream."""
    mute_word(user=bob, phrase="spoilers", action=action)
    home = open_home()
    post_status(author=alice, text="spoilers ahead")
    post_status(author=alice, text="he did it", warning="Spoilers")
    post_status(author=alice, text="tea")
    assert "tea" in home.wait(1)[0].data


def test_a_home_carries_followed_tags_in_any_spelling_but_no_boosts_by_tag(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    follow_tag(user=bob, name="tea")
    home = open_home()
    status = post_status(author=carol, text="one #Tea")
    post_status(author=carol, text="not for bob #coffee")
    original = find_statuses([status.pk])[status.pk]
    boost(user=make_user("dave"), status=original)
    post_status(author=make_user("erin"), text="a reply to a stranger #tea", reply_to=original.id)
    post_status(author=carol, text="two #\uff34\uff25\uff21")
    delete_status(status=status, by=carol)
    first, second, third = home.wait(3)
    assert "one" in first.data
    assert "two" in second.data
    assert third[1:] == ("delete", str(status.pk))


def test_tags_count_from_the_moment_they_are_followed(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    home = open_home()
    post_status(author=carol, text="too early #tea")
    follow_tag(user=bob, name="Tea")
    post_status(author=carol, text="now #tea")
    unfollow_tag(user=bob, name="TEA")
    post_status(author=carol, text="too late #tea")
    follow_tag(user=bob, name="tea")
    post_status(author=carol, text="again #tea")
    post_status(author=bob, text="the end")
    assert [text_of(message) for message in home.wait(3)] == ["now", "again", "the end"]


def text_of(message: Message) -> str:
    """Without tags."""
    _, _, rest = message.data.partition('class="status-text" dir="auto"')
    return rest.partition(">")[2].partition("<")[0].strip()


def test_a_tag_added_or_removed_by_an_edit_is_heard_of(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    follow_tag(user=bob, name="tea")
    home = open_home()
    status = post_status(author=carol, text="coffee")
    edit_status(status=status, by=carol, text="no, #tea")
    edit_status(status=status, by=carol, text="coffee after all")
    delete_status(status=status, by=carol)
    events = [message.event for message in home.wait(3)]
    assert events == ["status.update", "status.update", "delete"]


def test_a_resumed_home_gets_what_was_said_with_a_tag_meanwhile(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    home = open_home()
    post_status(author=alice, text="one")
    (seen,) = home.wait(1)
    home.close()
    follow_tag(user=bob, name="tea")
    post_status(author=carol, text="two #tea")
    (missed,) = open_home(last_event_id=seen.id).wait(1)
    assert "two" in missed.data


def test_last_event_id_resumes_without_loss(
    server: StreamServer, alice: User, bob: User, open_home: Open
) -> None:
    home = open_home()
    post_status(author=alice, text="one")
    (seen,) = home.wait(1)
    home.close()
    post_status(author=alice, text="two")
    again = open_home(last_event_id=seen.id)
    post_status(author=alice, text="three")
    texts = [message.data for message in again.wait(2)]
    assert len(texts) == 2
    assert "two" in texts[0]
    assert "three" in texts[1]


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, 401),
        ({"Cookie": f"{site.SESSION_COOKIE_NAME}=nonsense"}, 401),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
def test_a_home_needs_the_cookie_of_a_page_of_this_site(
    server: StreamServer, db: None, headers: dict[str, str], code: int
) -> None:
    assert patient_http.get(server.url + HOME, headers=headers).status_code == code


def test_a_new_password_ends_the_sessions_of_other_devices(
    server: StreamServer, bob: User, bobs_cookie: str
) -> None:
    bob.set_password("something new")
    bob.save()
    cookie = {"Cookie": f"{site.SESSION_COOKIE_NAME}={bobs_cookie}"}
    assert patient_http.get(server.url + HOME, headers=cookie).status_code == 401


@pytest.mark.parametrize("last_event_id", ["5", "x", "9" * 5_000, str(2**53)])
def test_a_position_that_is_not_kept_is_416(
    server: StreamServer, alice: User, bobs_cookie: str, last_event_id: str
) -> None:
    post_status(author=alice, text="so that something is kept")
    headers = {
        "Cookie": f"{site.SESSION_COOKIE_NAME}={bobs_cookie}",
        "Last-Event-ID": last_event_id,
    }
    assert patient_http.get(server.url + HOME, headers=headers).status_code == 416


def test_pages_of_this_site_may_read_it_from_their_port(server: StreamServer, db: None) -> None:
    headers = {"Origin": "http://localhost:8000"}
    for answer in (
        patient_http.get(server.url + HOME, headers=headers),
        patient_http.options(server.url + HOME, headers=headers),
    ):
        assert answer.headers["access-control-allow-origin"] == "http://localhost:8000"
        assert answer.headers["access-control-allow-credentials"] == "true"
    stranger = patient_http.options(server.url + HOME, headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in stranger.headers
