"""Boosts in streams: who gets them, how they look, and who learns that they are gone."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client as Browser

from redistools import keys
from redistools.client import get_client
from relations.services import hide_boosts
from statuses import store
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.reactions.services import boost, unboost
from statuses.services import delete_status, post_status
from statuses.stored import StoredStatus
from statuses.words.terms import phrase_of
from streaming.asked.listener import Listener
from streaming.asked.matching import Box, Filter, matches
from streaming.engine.hub import Hub
from streaming.event import StatusFacts, StreamEvent
from streaming.formats import Lines
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import contents_of, keys_of_the_test
from tests.streaming.conftest import Listen
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource
from tests.streaming.test_hub import join, open_stream, waiting
from users.models import User
from users.services import delete_account, restore, suspend

FILTER = "/1.1/statuses/filter.json"
FIREHOSE = "/1.1/statuses/firehose.json"
VIENNA = {"latitude": 48.2, "longitude": 16.4}
EVERYWHERE = Box(-180, -90, 180, 90)


def said(author: User, text: str, **fields: Any) -> StoredStatus:
    status = post_status(author=author, text=text, **fields)
    return store.read_statuses([status.pk])[status.pk]


def boost_by(user: User, status: StoredStatus) -> int:
    boost(user=user, status=status)
    return Status.objects.get(author=user, boost_of_id=status.id).pk


def newest() -> StreamEvent:
    entries: Any = get_client().xrevrange(keys.event_log(), count=1)
    return StreamEvent.from_log(*entries[0])


def test_a_boost_carries_its_original(alice: User, carol: User) -> None:
    status = said(alice, "tea & #cake", language="en", **VIENNA)
    boosted = boost_by(carol, status)
    message = json.loads(Lines().event(newest()))
    original = message.pop("retweeted_status")
    assert (message["id"], message["user"]["screen_name"]) == (boosted, "carol")
    assert (message["text"], message["lang"]) == ("RT @alice: tea & #cake", "en")
    assert message["coordinates"] is None
    assert (original["id"], original["user"]["screen_name"]) == (status.id, "alice")
    assert original["text"] == "tea & #cake"
    assert original["entities"]["hashtags"] == [{"text": "cake", "indices": [6, 11]}]
    assert original["coordinates"]["coordinates"] == [16.4, 48.2]


def matched(facts: StatusFacts, **wanted: Any) -> bool:
    return matches(Filter(**wanted), facts)


def test_a_boost_is_found_by_who_and_what_but_not_by_where(
    alice: User, bob: User, carol: User
) -> None:
    status = said(alice, "@bob tea", language="en", **VIENNA)
    boost_by(carol, status)
    facts = newest().facts
    for user in (carol, alice):
        assert matched(facts, follow=frozenset({user.pk}))
    assert not matched(facts, follow=frozenset({bob.pk})), "it is not addressed to bob"
    assert matched(facts, track=frozenset({phrase_of("tea")}))
    assert not matched(facts, track=frozenset({phrase_of("coffee")}))
    assert not matched(facts, boxes=frozenset({EVERYWHERE}))
    assert matched(facts, percent=100)
    assert matched(facts, percent=100, languages=frozenset({"en"}))
    assert not matched(facts, percent=100, languages=frozenset({"de"}))
    assert matched(facts, authors=frozenset({carol.pk}))
    assert not matched(facts, authors=frozenset({alice.pk})), "a home has what one follows"


def test_a_boost_is_told_once_however_often_it_runs(alice: User, carol: User) -> None:
    status = said(alice, "tea")
    boosted = boost_by(carol, status)
    boost(user=carol, status=status)
    status_tasks.publish.call(boosted, carol.pk, status.id)
    entries: Any = get_client().xrange(keys.event_log())
    assert [fields["kind"] for _, fields in entries] == ["post", "post"]


def test_streams_get_boosts_and_their_deletions(
    listen: Listen, alice: User, bob: User, carol: User
) -> None:
    streams = [
        listen(FILTER, params={"follow": "carol"}),
        listen(FILTER, params={"follow": "alice"}),
        listen(FILTER, params={"track": "tea"}),
        listen(FIREHOSE),
    ]
    strangers = [
        listen(FILTER, params={"locations": "-180,-90,180,90"}),
        listen(FILTER, params={"follow": "bob"}),
        listen(FILTER, params={"track": "coffee"}),
    ]
    status = said(alice, "tea", **VIENNA)
    boosted = boost_by(carol, status)
    unboost(user=carol, status_id=status.id)
    last = said(bob, "tea and coffee", **VIENNA).id
    for stream in (*streams[2:], *strangers):
        stream.wait(lambda it: last in it.ids)
    for stream in streams:
        stream.wait(lambda it: it.deleted == [boosted])
        assert boosted in stream.ids
    for stream in strangers:
        assert boosted not in stream.ids
        assert stream.deleted == []


def test_the_deletion_of_an_original_takes_its_boosts_out_of_streams(
    listen: Listen, alice: User, carol: User
) -> None:
    stream = listen(FILTER, params={"track": "teapots"})
    status = said(alice, "teapots")
    boosted = boost_by(carol, status)
    delete_status(status=Status.objects.get(pk=status.id), by=alice)
    drain()
    stream.wait(lambda it: set(it.deleted) == {status.id, boosted})
    assert "teapots" not in str(contents_of(keys_of_the_test()))
    late = listen(FILTER, params={"track": "teapots", "since_id": status.id})
    late.wait(lambda it: set(it.deleted) == {status.id, boosted})
    assert late.ids == []


def test_what_sql_has_deleted_is_not_replayed_in_a_boost(
    listen: Listen, alice: User, carol: User
) -> None:
    first = said(carol, "first")
    status = said(alice, "a secret")
    boost_by(carol, status)
    Status.objects.filter(pk=status.id).delete()  # as if the process had died right after
    last = said(carol, "last").id
    stream = listen(FIREHOSE, params={"since_id": first.id})
    stream.wait(lambda it: it.ids == [last])
    assert b"secret" not in stream.raw


def test_an_undone_boost_is_known_without_the_log(alice: User, carol: User) -> None:
    status = said(alice, "tea")
    boost_by(carol, status)
    get_client().delete(keys.event_log())
    unboost(user=carol, status_id=status.id)
    facts = newest().facts
    assert newest().kind == "delete"
    assert facts.words == {"tea"}
    assert facts.concerned == {alice.pk, carol.pk}
    assert facts.is_boost


@pytest.mark.parametrize("whose", ["alice", "dave"])
def test_boosts_by_and_of_suspended_accounts_are_not_replayed(
    listen: Listen, alice: User, bob: User, whose: str
) -> None:
    first = said(bob, "first")
    boosted = boost_by(make_user("dave"), said(alice, "tea"))
    last = said(bob, "last").id
    suspended = User.objects.get(username=whose)
    suspend(user=suspended)
    stream = listen(FIREHOSE, params={"since_id": first.id})
    stream.wait(lambda it: last in it.ids)
    assert boosted not in stream.ids
    restore(user=suspended)
    stream = listen(FIREHOSE, params={"since_id": first.id})
    stream.wait(lambda it: boosted in it.ids)


@pytest.mark.parametrize("whose", ["alice", "carol"])
def test_boosts_by_and_of_suspended_accounts_are_not_sent(
    alice: User, carol: User, whose: str
) -> None:
    """As when one was written before, and a worker publishes it only now."""
    hub, it = Hub(), open_stream(Listener(user_id=1, token_id=1), percent=100)
    join(hub, it)
    boost_by(carol, said(alice, "tea"))
    event = newest()
    hub.suspended = frozenset({User.objects.get(username=whose).pk})
    hub.dispatch(event)
    assert waiting(it) == []
    hub.suspended = frozenset()
    hub.dispatch(event)
    assert len(waiting(it)) == 1


def test_a_deleted_account_takes_boosts_of_what_it_said_along(
    listen: Listen, alice: User, carol: User
) -> None:
    stream = listen(FILTER, params={"track": "tea"})
    status = said(alice, "tea")
    boosted = boost_by(carol, status)
    delete_account(user=alice)
    drain()
    stream.wait(lambda it: set(it.deleted) == {status.id, boosted})


Open = Callable[[], EventSource]


@pytest.fixture
def open_home(server: StreamServer, bob: User) -> Iterator[Open]:
    browser = Browser()
    browser.force_login(bob)
    cookie = browser.cookies[site.SESSION_COOKIE_NAME].value
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(contextlib.closing(EventSource(server, cookie)))


def test_a_home_gets_boosts_by_those_one_follows(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    home = open_home()
    status = said(carol, "tea")
    boosted = boost_by(alice, status)
    unboost(user=alice, status_id=status.id)
    first, second = home.wait(2)
    assert first.event == "update"
    assert f'id="status-{status.id}"' in first.data
    assert f'data-boost="{boosted}"' in first.data, "so that a page finds it when it is undone"
    assert "<bdi>Alice Liddell</bdi></a> boosted" in first.data
    assert second[1:] == ("delete", str(boosted))


def test_hidden_boosts_are_not_sent_from_the_moment_on(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    one, two, three = (said(carol, f"{number} cups") for number in range(3))
    home = open_home()
    hide_boosts(follower=bob, followee=alice)
    boost_by(alice, one)
    hide_boosts(follower=bob, followee=alice, hidden=False)
    second = boost_by(alice, two)
    hide_boosts(follower=bob, followee=alice)
    late = open_home()
    boost_by(alice, three)
    said(alice, "the end")
    messages = home.wait(2)
    assert f'data-boost="{second}"' in messages[0].data
    assert "the end" in messages[1].data
    assert "the end" in late.wait(1)[0].data, "also where it was hidden before"
