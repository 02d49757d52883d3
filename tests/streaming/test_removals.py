"""Whose streams learn that a status is gone: those that it came to, and no others."""

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from django.conf import settings as site

from redistools import keys
from redistools.client import get_client
from statuses.models import Status
from statuses.reactions.services import boost, unboost
from statuses.services import delete_status, post_status, retract_deleted
from statuses.store import find_statuses
from taskqueue.drain import drain
from tests.cast import browser_of
from tests.running_site import wait_for
from tests.streaming.conftest import Listen
from tests.streaming.server import StreamReader, StreamServer
from tests.streaming.test_home_stream import EventSource
from users.audience import Visibility
from users.models import User
from users.services import delete_account
from users.tasks import refresh_user

PUBLIC_STREAMS = {
    "filter": {"track": "zanzibar,theend"},
    "sample": {"percent": "100"},
    "firehose": {},
}
Remove = Callable[[User, list[Status]], object]


def leave(author: User, _posts: list[Status]) -> None:
    delete_account(user=author)


def delete_each(author: User, posts: list[Status]) -> None:
    for status in posts:
        delete_status(status=status, by=author)


def delete_each_twice(author: User, posts: list[Status]) -> None:
    """Two clicks, or a second try after the answer to the first got lost."""
    delete_each(author, posts)
    delete_each(author, posts)


REMOVALS: dict[str, Remove] = {
    "an account leaves": leave,
    "each is deleted": delete_each,
    "each is deleted twice": delete_each_twice,
}


def go_private(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_private=True)
    user.refresh_from_db()
    refresh_user.call(user.pk)


def forget_events() -> None:
    """As if so much had been said since that the logs no longer have any of it."""
    for log in (keys.event_log(), keys.private_log()):
        get_client().xtrim(log, maxlen=0, approximate=False)


@pytest.fixture
def bobs_home(server: StreamServer, bob: User) -> Iterator[EventSource]:
    cookie = browser_of(bob).cookies[site.SESSION_COOKIE_NAME].value
    with closing(EventSource(server, cookie)) as home:
        yield home


def open_public_streams(listen: Listen) -> dict[str, StreamReader]:
    return {
        name: listen(f"/1.1/statuses/{name}.json", params=wanted)
        for name, wanted in PUBLIC_STREAMS.items()
    }


def wait_for_the_end(by: User, streams: dict[str, StreamReader], home: EventSource) -> None:
    """Nothing that was published before comes after it."""
    last = post_status(author=by, text="theend").pk
    for stream in streams.values():
        stream.wait(lambda it: last in it.ids)
    wait_for(lambda: f'id="status-{last}"' in home.text, what=home.text[-500:])


def deleted_in(home: EventSource) -> set[int]:
    return {int(it.data) for it in home.messages if it.event == "delete"}


@pytest.mark.parametrize("are_kept", [True, False], ids=["in the log", "older than the log"])
@pytest.mark.parametrize("is_private", [False, True], ids=["open account", "private account"])
@pytest.mark.parametrize("removal", REMOVALS)
def test_a_removal_is_told_to_those_streams_that_had_the_status(
    listen: Listen,
    bobs_home: EventSource,
    alice: User,
    bob: User,
    removal: str,
    is_private: bool,
    are_kept: bool,
) -> None:
    if is_private:
        go_private(alice)
    posts = {
        visibility: post_status(author=alice, text="@carol zanzibar", visibility=visibility)
        for visibility in Visibility
    }
    drain()
    if not are_kept:
        forget_events()
    streams = open_public_streams(listen)
    REMOVALS[removal](alice, list(posts.values()))
    drain()
    wait_for_the_end(bob, streams, bobs_home)
    public, mentioned = posts[Visibility.PUBLIC].pk, posts[Visibility.MENTIONED].pk
    for name, stream in streams.items():
        assert stream.deleted == ([] if is_private else [public]), name
    assert deleted_in(bobs_home) == {it.pk for it in posts.values()} - {mentioned}


@pytest.mark.parametrize("is_private", [False, True], ids=["for everybody", "private by now"])
def test_an_old_boost_is_found_by_words_that_everybody_may_read(
    listen: Listen, bobs_home: EventSource, alice: User, bob: User, is_private: bool
) -> None:
    original = post_status(author=alice, text="zanzibar")
    boost(user=bob, status=find_statuses([original.pk])[original.pk])
    boosted = Status.objects.get(author=bob, boost_of=original).pk
    drain()
    if is_private:
        go_private(alice)
    forget_events()
    streams = open_public_streams(listen)
    unboost(user=bob, status_id=original.pk)
    drain()
    wait_for_the_end(bob, streams, bobs_home)
    assert streams["filter"].deleted == ([] if is_private else [boosted])
    assert streams["firehose"].deleted == [boosted], "the boost may have come there"


def test_what_nobody_knows_any_more_is_told_only_where_a_log_still_has_it(
    listen: Listen, bobs_home: EventSource, alice: User, bob: User
) -> None:
    """Its row is gone, so nobody knows who could see it; the log that has it does."""
    kept, direct = (
        post_status(author=alice, text="zanzibar @carol", visibility=visibility)
        for visibility in (Visibility.PUBLIC, Visibility.MENTIONED)
    )
    drain()
    Status.objects.filter(pk__in=[kept.pk, direct.pk]).delete()
    streams = open_public_streams(listen)
    for status in (kept, direct):
        retract_deleted(status_id=status.pk, author_id=alice.pk)
    wait_for_the_end(bob, streams, bobs_home)
    assert {name: it.deleted for name, it in streams.items()} == {
        name: [kept.pk] for name in streams
    }
    assert deleted_in(bobs_home) == {kept.pk}
