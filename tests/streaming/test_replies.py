"""Replies in streams: what they say about themselves, and whose homes they reach."""

import contextlib
import json
import random
import re
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings as site
from django.test import Client as Browser

from relations.services import follow, unfollow
from statuses.services import delete_status, post_status
from statuses.stored import StoredStatus
from streaming.asked.listener import Listener
from streaming.asked.matching import Filter, matches
from streaming.engine.open_stream import OpenStream
from streaming.event import POST, StreamEvent, body_of, facts_of, json_text, seal
from streaming.formats import Lines, ServerSent
from tests.running_site import wait_for
from tests.statuses.trees import answer
from tests.streaming.conftest import Listen
from tests.streaming.publishing import stored
from tests.streaming.server import StreamServer
from tests.streaming.test_events import newest
from tests.streaming.test_home_stream import EventSource
from timelines.selectors import home
from users.models import User
from users.services import suspend

FILTER = "/1.1/statuses/filter.json"
FIREHOSE = "/1.1/statuses/firehose.json"
READER, AUTHOR, FOLLOWED, STRANGER = range(1, 5)

Open = Callable[..., EventSource]


@pytest.fixture
def open_home(server: StreamServer, bob: User, client: Browser) -> Iterator[Open]:
    """Bob's."""
    client.force_login(bob)
    cookie = client.cookies[site.SESSION_COOKIE_NAME].value
    with contextlib.ExitStack() as stack:

        def open_stream(last_event_id: str | None = None) -> EventSource:
            source = EventSource(server, cookie, last_event_id)
            return stack.enter_context(contextlib.closing(source))

        yield open_stream


def texts(source: EventSource) -> list[str]:
    """What the statuses say that have arrived."""
    updates = [message.data for message in source.messages if message.event == "update"]
    return [re.findall(r'<p class="status-text"[^>]*>(.*?)</p>', it)[0] for it in updates]


def texts_until(source: EventSource, last: str) -> list[str]:
    wait_for(lambda: last in texts(source), what=source.text[-500:])
    return texts(source)


def reply_by(author: int, answered: int | None) -> StoredStatus:
    reply = stored(9, author_id=author)
    return reply._replace(reply_to=5, reply_to_author=answered) if answered else reply


def test_a_reply_says_what_it_answers(listen: Listen, alice: User, bob: User) -> None:
    firehose = listen(FIREHOSE)
    status = post_status(author=alice, text="a question")
    reply = answer(bob, status, "an answer")
    firehose.wait(lambda it: reply.pk in it.ids)
    said = {name: value for name, value in firehose.messages[-1].items() if "in_reply" in name}
    assert said == {
        "in_reply_to_status_id": status.pk,
        "in_reply_to_status_id_str": str(status.pk),
        "in_reply_to_user_id": alice.pk,
        "in_reply_to_user_id_str": str(alice.pk),
        "in_reply_to_screen_name": "alice",
    }


def test_a_reply_does_not_name_an_account_that_cannot_be_seen(alice: User, bob: User) -> None:
    answer(bob, post_status(author=alice, text="a question"), "an answer")
    assert b'href="/@alice/"' in ServerSent("en").event(newest())
    hidden = newest().without_mentions({alice.pk}.__contains__)
    assert b"alice" not in ServerSent("en").event(hidden)
    assert json.loads(Lines().event(hidden))["in_reply_to_screen_name"] is None
    assert json.loads(Lines().event(hidden))["in_reply_to_user_id"] == alice.pk


def test_follow_finds_replies_to_what_somebody_said(
    listen: Listen, alice: User, bob: User, carol: User
) -> None:
    stream = listen(FILTER, params={"follow": "@alice"})
    status = post_status(author=alice, text="by alice")
    to_alice = answer(bob, status, "to alice")
    answer(carol, to_alice, "to bob, in a thread of alice")
    thread = answer(alice, status, "alice goes on")
    to_carol = answer(alice, post_status(author=carol, text="by carol"), "alice to carol")
    last = answer(carol, thread, "to alice again")
    delete_status(status=to_alice, by=bob)
    stream.wait(lambda it: it.deleted)
    assert stream.ids == [status.pk, to_alice.pk, thread.pk, to_carol.pk, last.pk]
    assert stream.deleted == [to_alice.pk]


@pytest.mark.parametrize(
    ("answered", "found"),
    [(STRANGER, {AUTHOR, STRANGER}), (AUTHOR, {AUTHOR}), (None, {AUTHOR})],
    ids="somebody oneself nobody".split(),
)
def test_follow_finds_who_writes_and_who_is_answered(answered: int | None, found: set[int]) -> None:
    facts = facts_of(reply_by(AUTHOR, answered))
    people = {READER, AUTHOR, FOLLOWED, STRANGER}
    assert {it for it in people if matches(Filter(follow=frozenset({it})), facts)} == found


@pytest.mark.parametrize(
    ("author", "answered", "shows"),
    [
        (AUTHOR, None, True),
        (AUTHOR, AUTHOR, True),
        (AUTHOR, READER, True),
        (AUTHOR, FOLLOWED, True),
        (AUTHOR, STRANGER, False),
        (READER, STRANGER, True),
    ],
    ids="post thread to-reader to-followed to-stranger own".split(),
)
def test_only_a_home_hides_replies_to_strangers(
    author: int, answered: int | None, shows: bool
) -> None:
    wanted = Filter(authors=frozenset({READER, AUTHOR, FOLLOWED}))
    listener = Listener(user_id=READER, token_id=1)
    status = reply_by(author, answered)
    event = StreamEvent(2, 1, POST, json_text(body_of(status)), seal(facts_of(status)))
    home_stream = OpenStream(Lines(), wanted, listener=listener, stream_name="home", home_of=READER)
    public = OpenStream(Lines(), wanted, listener=listener, stream_name="filter")
    assert (home_stream.shows(event), public.shows(event)) == (shows, True)


def test_follows_count_for_the_people_answered_too(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    status = post_status(author=carol, text="by carol")
    source = open_home()
    answer(alice, status, "to a stranger")
    follow(follower=bob, followee=carol)
    answer(alice, status, "to somebody followed")
    unfollow(follower=bob, followee=carol)
    hidden = answer(alice, status, "to a stranger again")
    delete_status(status=hidden, by=alice)
    mine = answer(bob, status, "my own")
    answer(alice, mine, "to the reader")
    post_status(author=alice, text="the end")
    wanted = ["to somebody followed", "my own", "to the reader", "the end"]
    assert texts_until(source, "the end") == wanted
    events = [message.event for message in source.messages]
    assert events == ["update", "delete", "update", "update", "update"], "it may be on the page"


def test_a_replay_decides_by_whom_the_reader_follows_now(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    status = post_status(author=carol, text="by carol")
    source = open_home()
    post_status(author=alice, text="the beginning")
    (first,) = source.wait(1)
    source.close()
    answer(alice, status, "to carol")
    answer(alice, post_status(author=alice, text="by alice"), "a thread")
    post_status(author=alice, text="the end")
    again = open_home(first.id)
    assert texts_until(again, "the end") == ["by alice", "a thread", "the end"]
    follow(follower=bob, followee=carol)
    later = open_home(first.id)
    assert texts_until(later, "the end") == ["to carol", "by alice", "a thread", "the end"]


def test_a_reply_to_a_suspended_account_comes_without_its_name(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    follow(follower=bob, followee=carol)
    status = post_status(author=carol, text="by carol")
    source = open_home()
    post_status(author=alice, text="the beginning")
    (first,) = source.wait(1)
    reply = post_status(author=alice, text="to carol", reply_to=status.pk)
    suspend(user=carol)
    (message,) = [it for it in open_home(first.id).wait(1) if str(reply.pk) in it.data]
    assert "Replying to an account that is not available" in message.data
    assert "@carol" not in message.data


@pytest.mark.parametrize("seed", range(2))
def test_a_home_and_its_stream_show_the_same(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open, seed: int
) -> None:
    chance = random.Random(seed)
    people = [alice, bob, carol]
    statuses = [post_status(author=who, text="earlier") for who in people]
    source = open_home()
    for number in range(40):
        parent = chance.choice([None, *statuses])
        author, text = chance.choice(people), f"number {number}"
        said = answer(author, parent, text) if parent else post_status(author=author, text=text)
        statuses.append(said)
    post_status(author=alice, text="the end")
    shown = [it.text for it in home(bob, limit=100) if it.text != "earlier"]
    assert texts_until(source, "the end") == shown[::-1]
    assert 5 < len(shown) < 35
