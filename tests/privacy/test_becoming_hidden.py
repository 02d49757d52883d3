"""What a reader may no longer see is gone from their open pages at once, and Redis serves it to
nobody. Its author goes on posting all the time.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

import pytest
from django.conf import settings as site
from django.db import connection
from django.test import Client

from access.tokens import create_token, revoke_token, tokens_of
from redistools import keys
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.services import follow, unfollow
from statuses.models import Status
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_keys import contents_of, keys_of_the_test
from tests.running_site import wait_for
from tests.streaming.server import StreamReader, StreamServer
from tests.streaming.test_home_stream import EventSource
from users.models import User
from users.services import silence, suspend
from users.tasks import refresh_user

# What it takes is printed; this is what a machine that does ten other things stays below.
PATIENCE_SECONDS = 10
POSTS_AFTERWARDS = 5


class Scene(NamedTuple):
    author: User
    reader: User
    browser: Client


Change = Callable[[Scene], object]


def go_private(scene: Scene) -> None:
    User.objects.filter(pk=scene.author.pk).update(is_private=True)
    refresh_user.call(scene.author.pk)


CHANGES: dict[str, Change] = {
    "unfollow": lambda it: unfollow(follower=it.reader, followee=it.author),
    "block by the author": lambda it: blocks_and_mutes.block(blocker=it.author, blocked=it.reader),
    "block by the reader": lambda it: blocks_and_mutes.block(blocker=it.reader, blocked=it.author),
    "mute": lambda it: blocks_and_mutes.mute(user=it.reader, muted=it.author),
    "suspension": lambda it: suspend(user=it.author),
    "log-out": lambda it: it.browser.post("/logout/"),
}
CHANGES_FOR_STRANGERS: dict[str, Change] = {
    "block by the author": CHANGES["block by the author"],
    "block by the reader": CHANGES["block by the reader"],
    "going private": go_private,
    "silence": lambda it: silence(user=it.author),
    "suspension": CHANGES["suspension"],
    "revoked token": lambda it: revoke_token(token=tokens_of(it.reader).get()),
}


class Writer:
    """Posts as fast as it can, in a thread of its own."""

    def __init__(self, author: User) -> None:
        self._author = author
        self.posts: list[tuple[float, int]] = []
        """When they were begun, and their ids."""
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        try:
            while not self._is_done.is_set():
                begun = time.monotonic()
                status = post_status(author=self._author, text="tea everywhere")
                self.posts.append((begun, status.pk))
        finally:
            connection.close()

    def begun_after(self, moment: float) -> list[int]:
        return [pk for begun, pk in self.posts if begun > moment]

    def stop(self) -> None:
        self._is_done.set()
        self._thread.join()


@contextmanager
def writing(author: User) -> Iterator[Writer]:
    writer = Writer(author)
    try:
        yield writer
    finally:
        writer.stop()


class Watch:
    """Notes when a stream last had something of the author's."""

    def __init__(self, count: Callable[[], int]) -> None:
        self._count, self._is_done = count, threading.Event()
        self.last = time.monotonic()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        seen = self._count()
        while not self._is_done.wait(0.005):
            if (now := self._count()) != seen:
                seen, self.last = now, time.monotonic()

    def stop(self) -> float:
        self._is_done.set()
        self._thread.join()
        return self.last


def scene_of(author: User, reader: User) -> Scene:
    return Scene(author, reader, browser_of(reader))


def change_while_writing(
    scene: Scene, change: Change, text_of: Callable[[], str], name: str
) -> list[int]:
    """The posts that were begun after the change, and must not arrive."""
    watch = Watch(lambda: text_of().count("tea everywhere"))
    with writing(scene.author) as writer:
        wait_for(lambda: "tea everywhere" in text_of(), what="the first post")
        begun = time.monotonic()
        change(scene)
        done = time.monotonic()
        wait_for(lambda: len(writer.begun_after(done)) >= POSTS_AFTERWARDS, what="more posts")
    drain()
    # Somebody whom everybody sees: nothing that was published before comes after it.
    post_status(author=User.objects.get(username="dave"), text="the end of it")
    wait_until_over(text_of)
    took = watch.stop() - begun
    print(f"{name}: done after {done - begun:.3f} s, last event after {max(0, took):.3f} s")
    assert took < PATIENCE_SECONDS
    return writer.begun_after(done)


def wait_until_over(text_of: Callable[[], str]) -> None:
    """A stream that was closed has no more to say."""
    ends = ("the end of it", '"disconnect"', "event: disconnect")
    wait_for(lambda: any(it in text_of() for it in ends), what="the end")


@pytest.fixture
def dave(transactional_db: None) -> User:
    return make_user("dave")


# `server` comes first: it says under which keys the accounts are made.
@pytest.mark.parametrize("name", CHANGES)
def test_an_open_home_gets_nothing_more(
    server: StreamServer, alice: User, bob: User, dave: User, name: str
) -> None:
    follow(follower=bob, followee=dave)
    scene = scene_of(alice, bob)
    cookie = scene.browser.cookies[site.SESSION_COOKIE_NAME].value
    with closing(EventSource(server, cookie)) as home:
        hidden = change_while_writing(scene, CHANGES[name], lambda: home.text, name)
        assert not [pk for pk in hidden if f'id="status-{pk}"' in home.text]


@pytest.mark.parametrize("name", CHANGES_FOR_STRANGERS)
def test_an_open_public_stream_gets_nothing_more(
    server: StreamServer, alice: User, carol: User, dave: User, name: str
) -> None:
    scene = scene_of(alice, carol)
    _, token = create_token(user=carol, name="hers")
    where = "/1.1/statuses/filter.json"
    with closing(StreamReader(server, where, token, params={"track": "tea,end"})) as stream:
        change = CHANGES_FOR_STRANGERS[name]
        hidden = change_while_writing(scene, change, lambda: stream.raw.decode(), name)
        assert not set(hidden) & set(stream.ids)


def test_a_deletion_reaches_an_open_home_and_leaves_nothing_behind(
    server: StreamServer, alice: User, bob: User
) -> None:
    cookie = browser_of(bob).cookies[site.SESSION_COOKIE_NAME].value
    with closing(EventSource(server, cookie)) as home:
        status = post_status(author=alice, text="a slip of the tongue #slip @bob")
        home.wait(1)
        browser_of(bob).get("/")
        drain()
        begun = time.monotonic()
        delete_status(status=status, by=alice)
        wait_for(lambda: f"event: delete\ndata: {status.pk}\n" in home.text)
        print(f"deletion: {time.monotonic() - begun:.3f} s")
    drain()
    assert places_with("slip of the tongue") == set()


def places_with(words: str) -> set[str]:
    """The keys in which Redis has these words."""
    contents = contents_of(keys_of_the_test())
    return {name for name, content in contents.items() if words in str(content)}


@pytest.mark.parametrize("name", ["unfollow", "block by the author", "suspension", "going private"])
def test_redis_has_what_was_said_only_where_readers_are_asked_for(
    alice: User, bob: User, name: str
) -> None:
    """In the hash, which `show` reads, and in the logs, which `shown_now` reads: not in a page, a
    home, a board or a notification that is ready for somebody.
    """
    status = post_status(author=alice, text="once upon a time #tale @bob")
    drain()
    for address in ("/", "/notifications/", "/explore/", "/tags/tale/"):
        browser_of(bob).get(address)
    change = CHANGES.get(name) or CHANGES_FOR_STRANGERS[name]
    change(scene_of(alice, bob))
    drain()
    allowed = {keys.status(status.pk), keys.event_log(), keys.private_log()}
    assert keys.status(status.pk) in places_with("once upon a time")
    assert places_with("once upon a time") <= allowed
    assert Status.objects.filter(pk=status.pk).exists()
