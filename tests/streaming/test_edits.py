"""Edits in streams: all who got a status get its new version, and nobody gets the old one again."""

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as site
from django.test import Client as Browser
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from statuses import store
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.reactions.services import boost, unboost
from statuses.services import delete_status, edit_status, post_status
from statuses.stored import StoredStatus
from streaming import publishing
from streaming import tasks as stream_tasks
from streaming.event import StreamEvent
from streaming.formats import Lines
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import contents_of, keys_of_the_test
from tests.streaming.conftest import Listen
from tests.streaming.publishing import publish_posts, stored
from tests.streaming.server import StreamServer
from tests.streaming.test_home_stream import EventSource
from users.audience import Reach
from users.models import User
from users.services import restore, suspend

FILTER = "/1.1/statuses/filter.json"
FIREHOSE = "/1.1/statuses/firehose.json"


def events() -> list[StreamEvent]:
    """About statuses; bob's follow is none."""
    entries: Any = get_client().xrange(keys.event_log())
    found = [StreamEvent.from_log(*entry) for entry in entries]
    return [event for event in found if event.is_about_a_status]


def kept() -> list[tuple[str, int]]:
    """Kinds, and which statuses they are about."""
    return [(event.kind, event.facts.id) for event in events()]


def in_redis(text: str) -> bool:
    return text in str(contents_of(keys_of_the_test()))


def served(status: Status) -> StoredStatus:
    return store.read_statuses([status.pk])[status.pk]


def edit(status: Status, text: str) -> None:
    edit_status(status=status, by=status.author, text=text)


# In the log.


def test_an_edit_takes_the_place_of_the_post(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="@bob red")
    edit(status, "blue")
    ((kind, status_id),) = kept()
    assert (kind, status_id) == ("edit", status.pk)
    assert not in_redis("red")
    (event,) = events()
    assert event.status.text == "blue"
    assert event.facts.words == {"@bob", "bob", "red", "blue"}
    assert event.facts.addressees == {bob.pk}
    edit(status, "green")
    assert kept() == [("edit", status.pk)]
    assert not in_redis("blue")
    assert events()[0].facts.words == {"@bob", "bob", "red", "blue", "green"}


def test_a_deletion_knows_every_version(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="@bob red", language="en")
    edit(status, "blue")
    before = events()[0].facts
    delete_status(status=status, by=alice)
    assert kept() == [("delete", status.pk)]
    assert events()[0].facts == before
    assert not in_redis("blue")


def test_a_deletion_knows_every_version_even_without_the_log(alice: User) -> None:
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    edit(status, "green")
    get_client().delete(keys.event_log())
    delete_status(status=status, by=alice)
    assert events()[-1].facts.words == {"red", "blue", "green"}


def test_an_edit_is_told_once_however_often_it_runs(alice: User) -> None:
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    for _ in range(3):
        status_tasks.publish_edit.call(status.pk, alice.pk)
        status_tasks.publish.call(status.pk, alice.pk)
    drain()
    assert kept() == [("edit", status.pk)]


def test_an_older_edit_that_comes_late_does_not_come_back(alice: User) -> None:
    """Its process has read the first edit, and publishes it after the second."""
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    older = served(status)
    get_client().delete(keys.event_marks())  # as if the first had not been published yet
    get_client().delete(keys.event_log())
    edit(status, "green")
    batch = Batch(get_client())
    publishing.add_edit(batch, older, [], reach=Reach.EVERYBODY)
    batch.run()
    assert [event.status.text for event in events()] == ["green"]
    assert not in_redis("blue")


def test_edits_that_meet_end_with_the_last_one(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = post_status(author=alice, text="red")
    real, waiting = publishing.add_edit, ["green"]

    def add_late(*args: Any, **options: Any) -> None:
        while waiting:
            edit(status, waiting.pop())
        real(*args, **options)

    monkeypatch.setattr(publishing, "add_edit", add_late)
    edit(status, "blue")
    assert [event.status.text for event in events()] == ["green"]
    assert not in_redis("blue")


def test_a_post_that_comes_after_its_edit_is_not_told(alice: User) -> None:
    status = post_status(author=alice, text="red")
    old = served(status)
    get_client().delete(keys.event_marks(), keys.event_log())  # not published yet
    edit(status, "blue")
    batch = Batch(get_client())
    publishing.add_post(batch, old, reach=Reach.EVERYBODY)
    batch.run()
    assert [event.status.text for event in events()] == ["blue"]


def test_an_edit_that_comes_after_the_deletion_is_not_told(alice: User) -> None:
    status = post_status(author=alice, text="red")
    old = served(status)._replace(edited_ms=5, text="blue")
    delete_status(status=status, by=alice)
    batch = Batch(get_client())
    publishing.add_edit(batch, old, [], reach=Reach.EVERYBODY)
    batch.run()
    assert kept() == [("delete", status.pk)]


def test_what_the_log_no_longer_has_is_told_all_the_same(alice: User, settings: Settings) -> None:
    settings.STREAM_EVENTS_KEPT = 10
    status = post_status(author=alice, text="red")
    publish_posts([stored(n) for n in range(1, 301)])
    assert ("post", status.pk) not in kept()
    edit(status, "blue")
    assert kept()[-1] == ("edit", status.pk)


# What boosts hold of it.


def test_an_edit_reaches_the_boosts_too(alice: User, bob: User, carol: User) -> None:
    status = post_status(author=alice, text="red")
    for user in (bob, carol):
        boost(user=user, status=served(status))
    boosts = sorted(Status.objects.filter(boost_of=status).values_list("pk", flat=True))
    edit(status, "blue")
    drain()
    assert not in_redis("red")
    assert kept() == [("edit", status.pk), *(("edit", it) for it in boosts)]
    for event in events()[1:]:
        assert event.original is not None
        assert event.original.text == "blue"
        assert event.facts.words == {"red", "blue"}
        assert event.facts.addressees == {alice.pk}
        assert event.facts.is_boost
    before = events()[1].facts
    edit(status, "green")
    drain()
    assert not in_redis("blue")
    unboost(user=bob, status_id=status.pk)
    assert kept()[-1] == ("delete", boosts[0])
    assert events()[-1].facts.words == before.words | {"green"}


def test_boosts_are_updated_part_by_part(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_tasks, "BOOSTS_AT_ONCE", 2)
    status = post_status(author=alice, text="red")
    for number in range(5):
        boost(user=make_user(f"user{number}"), status=served(status))
    edit(status, "blue")
    drain()
    assert [kind for kind, _ in kept()] == ["edit"] * 6
    assert not in_redis("red")


def test_boosts_that_the_log_no_longer_has_are_not_told_again(alice: User, carol: User) -> None:
    status = post_status(author=alice, text="red")
    boost(user=carol, status=served(status))
    get_client().delete(keys.event_log())
    edit(status, "blue")
    drain()
    assert kept() == [("edit", status.pk)]


def test_a_boost_of_an_edited_status_is_told_once(alice: User, carol: User) -> None:
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    boost(user=carol, status=served(status))
    drain()
    stream_tasks.update_boosts.call(status.pk, 0)
    boosted = Status.objects.get(author=carol).pk
    assert kept() == [("edit", status.pk), ("post", boosted)]


def test_a_boost_that_meets_an_edit_ends_with_the_new_text(
    alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the old text, and is published after the edit has updated all boosts."""
    status = post_status(author=alice, text="red")
    real, waiting = publishing.add_post, ["blue"]

    def add_late(*args: Any, **options: Any) -> None:
        while waiting:
            edit(status, waiting.pop())
            stream_tasks.update_boosts.call(status.pk, 0)
        real(*args, **options)

    monkeypatch.setattr(publishing, "add_post", add_late)
    boost(user=carol, status=served(status))
    assert not in_redis("red")
    assert [event.original.text for event in events() if event.original] == ["blue"]


# From the outside.


def test_all_who_got_it_get_the_new_version_and_the_deletion(listen: Listen, alice: User) -> None:
    old, new, other, everything = (
        listen(FILTER, params={"track": "red"}),
        listen(FILTER, params={"track": "blue"}),
        listen(FILTER, params={"track": "yellow"}),
        listen(FIREHOSE),
    )
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    delete_status(status=status, by=alice)
    last = post_status(author=alice, text="red, blue and yellow").pk
    for stream in (old, new, other, everything):
        stream.wait(lambda it: last in it.ids)
    assert [m["text"] for m in old.messages[:2]] == ["red", "blue"]
    assert [m["id"] for m in old.messages[:2]] == [status.pk] * 2
    assert "edited_at" not in old.messages[0]
    assert "edited_at" in old.messages[1]
    assert [m["text"] for m in new.messages[:1]] == ["blue"]
    for stream in (old, new, everything):
        assert stream.deleted == [status.pk]
    assert other.ids == [last]
    assert other.deleted == []


def test_a_replay_has_the_new_version_only_and_misses_nothing(listen: Listen, alice: User) -> None:
    """`since_id` leads to where the status was posted, not to its edit."""
    status = post_status(author=alice, text="red")
    between = post_status(author=alice, text="red too").pk
    edit(status, "red again")
    later = post_status(author=alice, text="red at last").pk
    stream = listen(FILTER, params={"track": "red", "since_id": status.pk})
    stream.wait(lambda it: later in it.ids)
    assert stream.ids == [between, status.pk, later]
    assert stream.messages[1]["text"] == "red again"
    again = listen(FILTER, params={"track": "red", "since_id": stream.messages[1]["event_id"]})
    again.wait(lambda it: later in it.ids)
    assert again.ids == [later], "an edit has a place of its own to come back to"


def test_nobody_is_sent_the_edit_of_a_suspended_author(
    listen: Listen, alice: User, carol: User
) -> None:
    first = post_status(author=alice, text="first").pk
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    last = post_status(author=carol, text="last").pk
    suspend(user=alice)
    hidden = listen(FIREHOSE, params={"since_id": first})
    hidden.wait(lambda it: it.ids == [last])
    restore(user=alice)
    shown = listen(FIREHOSE, params={"since_id": first})
    shown.wait(lambda it: it.ids == [status.pk, last])


Open = Callable[..., EventSource]


@pytest.fixture
def open_home(server: StreamServer, bob: User) -> Iterator[Open]:
    browser = Browser()
    browser.force_login(bob)
    cookie = browser.cookies[site.SESSION_COOKIE_NAME].value
    with contextlib.ExitStack() as stack:

        def open_stream(**options: Any) -> EventSource:
            source = EventSource(server, cookie, **options)
            return stack.enter_context(contextlib.closing(source))

        yield open_stream


def test_a_home_is_sent_the_new_html(server: StreamServer, alice: User, open_home: Open) -> None:
    home = open_home()
    status = post_status(author=alice, text="red")
    edit(status, "blue <b>")
    first, second = home.wait(2)
    assert (first.event, second.event) == ("update", "status.update")
    assert f'id="status-{status.pk}"' in second.data
    assert "blue &lt;b&gt;" in second.data
    assert "edited</a>" in second.data
    assert "red" not in second.data.split("status-text")[1]


def test_who_has_had_the_post_is_sent_the_edit_and_who_has_not_a_new_status(
    server: StreamServer, alice: User, open_home: Open
) -> None:
    home = open_home()
    seen = post_status(author=alice, text="seen")
    (message,) = home.wait(1)
    home.close()
    missed = post_status(author=alice, text="missed")
    edit(seen, "seen, edited")
    edit(missed, "missed, edited")
    again = open_home(last_event_id=message.id)
    first, second = again.wait(2)
    assert (first.event, second.event) == ("status.update", "update")
    assert f'id="status-{seen.pk}"' in first.data
    assert f'id="status-{missed.pk}"' in second.data
    assert "missed, edited" in second.data


def test_a_home_is_sent_the_new_text_of_a_boost(
    server: StreamServer, alice: User, bob: User, carol: User, open_home: Open
) -> None:
    """bob follows alice, who boosts what carol says."""
    home = open_home()
    status = post_status(author=carol, text="red")
    boost(user=alice, status=served(status))
    edit(status, "blue")
    drain()
    first, second = home.wait(2)
    assert (first.event, second.event) == ("update", "status.update")
    assert "boosted" in second.data
    assert "blue" in second.data


def test_a_line_says_when_it_was_edited_and_where_to_come_back(alice: User) -> None:
    status = post_status(author=alice, text="red")
    edit(status, "blue")
    (event,) = events()
    message = json.loads(Lines().event(event))
    assert message["id"] == status.pk
    assert message["event_id"] == event.position
    assert message["event_id_str"] == str(event.position)
    row = Status.objects.get()
    assert row.edited_at
    assert message["edited_at"][11:19] == f"{row.edited_at:%H:%M:%S}"
