"""Pages from replicas: others may see a post late, its author never, and no copy gets wrong."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from unittest.mock import patch

import pytest
from django.test import Client
from pytest_django import Settings

from redistools import keys
from redistools.client import get_client
from redistools.servers.replicas import Replicas
from relations.services import follow, unfollow
from statuses.services import delete_status, post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.redis_servers import cut_off, has_replicas_in_step
from tests.replicas import (
    WITH_REPLICAS,
    known_replicas,
    masters,
    ports_asked,
    ports_of_replicas,
    wait_until_known,
)
from tests.round_trips import counting_round_trips
from tests.running_site import wait_for
from tests.soundness import wrong_with_statuses, wrong_with_users
from timelines.store import LIFETIME
from users.models import User
from web.pages.replica_pages import COOKIE

pytestmark = pytest.mark.usefixtures("site_with_replicas")


@pytest.fixture(params=WITH_REPLICAS)
def site_with_replicas(request: pytest.FixtureRequest, settings: Settings) -> None:
    settings.REDIS_URL = request.getfixturevalue(request.param)
    settings.REDIS_READ_FROM_REPLICAS = True
    wait_until_known()


@contextmanager
def lagging_replicas() -> Iterator[None]:
    """During the block they know everything until now, and learn of nothing new. We ask them all
    the same, however late they are.
    """
    wait_until_in_step()
    with ExitStack() as stack:
        stack.enter_context(patch.object(Replicas, "look", lambda _self: None))
        stack.enter_context(patch.object(Replicas, "_is_usable", lambda *_arguments: True))
        for master in masters().values():
            stack.enter_context(cut_off(master))
        yield
    wait_until_in_step()


def wait_until_in_step() -> None:
    for master in masters().values():
        wait_for(partial(has_replicas_in_step, master), what="the replicas to be in step")
    wait_until_known()


def everybody() -> list[User]:
    return list(User.objects.all())


def shows(browser: Client, text: str, address: str = "/") -> bool:
    page = browser.get(address)
    assert page.status_code == 200
    return text in page.content.decode()


def test_a_home_and_a_profile_are_read_from_replicas(alice: User, bob: User) -> None:
    post_status(author=alice, text="Hello")
    browser = browser_of(bob)
    for address in ("/", f"/{alice}/"):
        wait_for(partial(shows, browser, "Hello", address))
        with counting_round_trips() as trips:
            assert shows(browser, "Hello", address)
        assert ports_asked(trips) & ports_of_replicas(), str(trips)


def test_they_are_not_if_the_setting_is_off(alice: User, bob: User, settings: Settings) -> None:
    settings.REDIS_READ_FROM_REPLICAS = False
    browser = browser_of(bob)
    browser.get("/")
    with counting_round_trips() as trips:
        browser.post("/statuses/", {"text": "Hello"})
        browser.get("/")
    assert not ports_asked(trips) & ports_of_replicas()
    assert COOKIE not in browser.cookies


@pytest.mark.long
def test_authors_see_their_own_posts_at_once_and_others_late(alice: User, bob: User) -> None:
    author, reader = browser_of(alice), browser_of(bob)
    assert not shows(author, "Hello")
    assert not shows(reader, "Hello")
    with lagging_replicas():
        author.post("/statuses/", {"text": "Hello"})
        assert shows(author, "Hello")
        assert shows(author, "Hello", f"/{alice}/")
        assert not shows(reader, "Hello")
        drain()
        assert wrong_with_users(everybody()) == []
    wait_for(lambda: shows(reader, "Hello"), what="the replicas to know of the post")


def test_who_wrote_lately_is_known_to_every_process(alice: User) -> None:
    """The browser says so; no process has to remember."""
    browser = browser_of(alice)
    browser.post("/statuses/", {"text": "Hello"})
    assert browser.cookies[COOKIE]["max-age"] == 10
    other = Client()
    other.cookies = browser.cookies
    with counting_round_trips() as trips:
        assert shows(other, "Hello")
    assert not ports_asked(trips) & ports_of_replicas()


@pytest.mark.long
def test_what_was_deleted_is_gone_although_replicas_have_it(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="Oops")
    reader = browser_of(bob)
    assert shows(reader, "Oops")
    with lagging_replicas():
        assert shows(reader, "Oops")
        delete_status(status=status, by=alice)
        assert not shows(reader, "Oops")
        assert reader.get(f"/{alice}/{status.pk}/").status_code == 404
        drain()
        assert wrong_with_users(everybody()) == []
        assert wrong_with_statuses([status.pk]) == []


@pytest.mark.long
def test_what_replicas_lack_is_asked_of_the_masters_before_sql(alice: User, carol: User) -> None:
    """Profile, sources and home of a new account, and the post itself, are not there yet."""
    with lagging_replicas():
        dave = make_user("dave")
        follow(follower=dave, followee=alice)
        status = post_status(author=alice, text="Hello")
        reader = browser_of(dave)
        assert shows(reader, "Hello")
        with counting_round_trips() as trips:
            assert shows(reader, "Hello")
            assert shows(reader, "Hello", f"/{alice}/{status.pk}/")
        assert "loaded_set" not in str(trips)
        unfollow(follower=dave, followee=alice)
        drain()
        assert wrong_with_users(everybody()) == []
        assert wrong_with_statuses([status.pk]) == []
    assert not shows(browser_of(dave), "Hello")


@pytest.mark.long
def test_a_copy_that_is_lost_is_loaded_into_the_masters(alice: User, bob: User) -> None:
    """The replicas still have it, and that is right too."""
    post_status(author=alice, text="Hello")
    reader = browser_of(bob)
    assert shows(reader, "Hello")
    with lagging_replicas():
        post_status(author=alice, text="Again")
        for name in (keys.home(bob.pk), keys.profile(alice.pk), keys.posts(alice.pk)):
            get_client().delete(name)
        assert shows(reader, "Hello")
        assert not get_client().exists(keys.home(bob.pk))
        reader.cookies[COOKIE] = "1"
        assert shows(reader, "Again")
        assert wrong_with_users(everybody()) == []
    wait_for(lambda: shows(reader, "Again"))


def test_the_master_keeps_a_home_alive_that_replicas_serve(alice: User, bob: User) -> None:
    reader = browser_of(bob)
    reader.get("/")
    get_client().expire(keys.home(bob.pk), 1_000)

    def reads_and_looks() -> bool:
        reader.get("/")
        return get_client().ttl(keys.home(bob.pk)) > LIFETIME - 1_000

    wait_for(reads_and_looks, what="the home to live on")


@pytest.mark.long
def test_no_replica_is_asked_while_a_copy_is_made(alice: User, bob: User) -> None:
    """A build that read an old profile would make a home that lacks a post."""
    reader = browser_of(bob)
    assert not shows(reader, "Hello")
    get_client().delete(keys.home(bob.pk))
    wait_until_in_step()
    with lagging_replicas():
        post_status(author=alice, text="Hello")
        assert shows(reader, "Hello")
        assert wrong_with_users(everybody()) == []


def test_pages_are_read_while_replicas_are_gone(alice: User, bob: User) -> None:
    post_status(author=alice, text="Hello")
    reader = browser_of(bob)
    known = known_replicas()
    for address in [it for lag in known._lags.values() for it in lag.known_until]:
        known._replica(address).client.connection_pool.connection_kwargs["port"] = 1
        known._replica(address).client.connection_pool.disconnect()
    assert shows(reader, "Hello")
