"""Sessions: read from Redis, kept in SQL, worth nothing to somebody who reads either."""

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.conf import settings as site
from django.contrib.sessions.backends.base import CreateError, UpdateError
from django.db import OperationalError
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from redistools import keys
from redistools.client import get_client
from taskqueue import outbox
from taskqueue.backend import get_backend
from taskqueue.drain import drain
from taskqueue.periodic import Timetable
from taskqueue.store import Queue
from tests.cast import browser_of
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from tests.users.test_races import at_once
from users import tasks
from users.login import session_rows
from users.login.session_rows import Kept, session_digest
from users.login.sessions import SessionStore
from users.models import Session, User
from users.services import delete_account

pytestmark = pytest.mark.django_db(transaction=True)

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def key_of(browser: Client) -> str:
    return str(browser.cookies[site.SESSION_COOKIE_NAME].value)


def is_logged_in(browser: Client) -> bool:
    return browser.get("/settings/").status_code == 200


@pytest.fixture
def stored() -> SessionStore:
    store = SessionStore()
    store["colour"] = "green"
    store.create()
    return store


def colour_of(key: str | None) -> str | None:
    found: str | None = SessionStore(key).get("colour")
    return found


def test_a_session_costs_one_round_trip_and_no_query(
    stored: SessionStore, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assert colour_of(stored.session_key) == "green"
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert colour_of(stored.session_key) == "green"
    assert len(trips) == 1, trips.sent


def test_a_redis_that_loses_its_memory_logs_nobody_out(alice: User) -> None:
    browser = browser_of(alice)
    assert is_logged_in(browser)
    get_client().delete(*keys_of_the_test())
    assert is_logged_in(browser)
    assert keys_of_the_test("session:*"), "and it is copied again"


@pytest.fixture
def redis_is_away(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"


def test_without_redis_sql_is_asked(stored: SessionStore, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("redis_is_away")
    assert colour_of(stored.session_key) == "green"


def test_neither_store_holds_the_key_or_what_it_opens(stored: SessionStore) -> None:
    colour_of(stored.session_key)
    row = Session.objects.get()
    (name,) = keys_of_the_test("session:*")
    assert name == keys.session(row.digest)
    for kept in (row.digest, row.data, name, str(get_client().get(name))):
        assert stored.session_key is not None
        assert stored.session_key not in kept
        assert "green" not in kept
    assert colour_of(row.digest) is None
    assert colour_of(row.digest[:32]) is None


def test_who_writes_to_redis_can_not_use_the_session_of_another(alice: User, carol: User) -> None:
    """Neither copies nor made-up ones count: each is sealed with the key in its owner's cookie."""
    hers, mine = browser_of(alice), browser_of(carol)
    for browser in (hers, mine):
        assert is_logged_in(browser)
    theft = get_client().get(keys.session(session_digest(key_of(hers))))
    for planted in (theft, b"[]", b'{"_auth_user_id":"1"}', b"\xff", b"=" * 40, b""):
        assert planted is not None
        get_client().set(keys.session(session_digest(key_of(mine))), planted)
        assert b"@carol" in mine.get("/settings/").content


def test_a_row_that_was_tampered_with_opens_nothing(alice: User, carol: User) -> None:
    hers, mine = browser_of(alice), browser_of(carol)
    data = Session.objects.get(digest=session_digest(key_of(hers))).data
    Session.objects.filter(digest=session_digest(key_of(mine))).update(data=data)
    assert not is_logged_in(mine)


@pytest.mark.parametrize(
    "cookie", ["", "nonsense", "a" * 31, "a" * 33, "a" * 5_000, "é" * 32, "../" * 11, "a b" * 11]
)
def test_what_can_be_no_key_costs_nothing(
    cookie: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with counting_round_trips() as trips, django_assert_num_queries(0):
        assert colour_of(cookie) is None
    assert len(trips) == 0


def test_nobody_chooses_the_key_of_their_session(alice: User) -> None:
    browser = Client()
    browser.cookies[site.SESSION_COOKIE_NAME] = "a" * 32
    browser.force_login(alice)
    assert key_of(browser) != "a" * 32
    assert SessionStore("a" * 32).get("anything") is None


def test_a_session_expires_in_both_stores(stored: SessionStore) -> None:
    colour_of(stored.session_key)
    Session.objects.update(expires_at=timezone.now() + timedelta(seconds=20))
    get_client().delete(*keys_of_the_test("session:*"))
    assert colour_of(stored.session_key) == "green"
    (name,) = keys_of_the_test("session:*")
    assert 0 < int(get_client().ttl(name)) <= 20
    get_client().delete(name)
    Session.objects.update(expires_at=timezone.now())
    assert colour_of(stored.session_key) is None


def test_a_copy_is_trusted_for_an_hour_at_most(stored: SessionStore) -> None:
    colour_of(stored.session_key)
    (name,) = keys_of_the_test("session:*")
    assert 3500 < int(get_client().ttl(name)) <= 3600


def test_a_change_is_seen_by_the_next_page(stored: SessionStore) -> None:
    colour_of(stored.session_key)
    other = SessionStore(stored.session_key)
    other["colour"] = "blue"
    other.save()
    assert colour_of(stored.session_key) == "blue"


def test_a_session_that_was_ended_meanwhile_is_not_saved_again(stored: SessionStore) -> None:
    other = SessionStore(stored.session_key)
    other["colour"] = "blue"
    stored.delete()
    with pytest.raises(UpdateError):
        other.save()
    assert colour_of(stored.session_key) is None
    assert not Session.objects.exists()


def test_of_an_account_that_is_gone_no_session_is_saved(alice: User) -> None:
    browser = browser_of(alice)
    store = SessionStore(key_of(browser))
    store["colour"] = "green"
    delete_account(user=alice)
    with pytest.raises(UpdateError):
        store.save()


def test_deleting_an_account_takes_its_sessions_from_both_stores(alice: User, carol: User) -> None:
    browsers = [browser_of(alice), browser_of(alice), browser_of(carol)]
    for browser in browsers:
        assert is_logged_in(browser)
    delete_account(user=alice)
    assert [is_logged_in(browser) for browser in browsers] == [False, False, True]
    assert Session.objects.count() == 1
    assert len(keys_of_the_test("session:*")) == 1


# Last seen --------------------------------------------------------------------------------


def test_where_a_session_is_used_is_kept(alice: User) -> None:
    browser = browser_of(alice)
    made = Session.objects.get()
    assert (made.user, made.agent, made.address) == (alice, "", "")
    long_ago = timezone.now() - timedelta(days=3)
    Session.objects.update(seen_at=long_ago)
    browser.get("/", headers={"user-agent": FIREFOX}, REMOTE_ADDR="192.0.2.7")
    seen = Session.objects.get()
    assert (seen.device, seen.address) == ("Firefox on Linux", "192.0.2.7")
    assert seen.seen_at > long_ago + timedelta(days=2)


def test_being_seen_is_written_once_an_hour_at_most(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = browser_of(alice)
    browser.get("/")
    seen_at = Session.objects.get().seen_at
    with django_assert_num_queries(1):
        browser.get("/")
    get_client().delete(*keys_of_the_test("session:*"))  # Redis has lost it within the hour
    browser.get("/")
    assert Session.objects.get().seen_at == seen_at


def test_a_page_goes_on_when_that_can_not_be_written(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browser_of(alice)
    Session.objects.update(seen_at=timezone.now() - timedelta(days=1))

    def fail(*_args: object, **_kwargs: object) -> int:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(QuerySet, "update", fail)
        assert is_logged_in(browser)
    assert Session.objects.get().seen_at < timezone.now() - timedelta(hours=23)


def test_a_change_while_the_session_is_copied_is_not_lost(
    stored: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, changes = session_rows._copy_or_forget, ["blue"]

    def change_and_write(digest: str, kept: Kept | None) -> None:
        for colour in list(changes):
            changes.remove(colour)
            stored["colour"] = colour
            stored.save()
        write(digest, kept)

    monkeypatch.setattr(session_rows, "_copy_or_forget", change_and_write)
    assert colour_of(stored.session_key) == "blue"
    assert colour_of(stored.session_key) == "blue"


@pytest.mark.parametrize("agent", ["x" * 100_000, "a\0b", "<script>alert(1)</script>", "\udce4"])
def test_a_hostile_browser_is_kept_in_bounds(alice: User, agent: str) -> None:
    browser = Client()
    form = {"username": "alice", "password": "wrong"}
    browser.post("/login/", form, HTTP_USER_AGENT=agent)
    browser.force_login(alice)
    Session.objects.update(seen_at=timezone.now() - timedelta(days=1))
    page = browser.get("/settings/sessions/", HTTP_USER_AGENT=agent)
    assert page.status_code == 200
    assert len(Session.objects.get().agent) <= 200
    assert "<script>alert" not in page.content.decode()


# Ending -----------------------------------------------------------------------------------


def test_ending_wins_against_a_page_that_is_just_loading(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page has read the row, and copies it after the session was ended."""
    browser = browser_of(alice)
    row_read, ended = threading.Event(), threading.Event()
    write = session_rows._copy_or_forget

    def slow_write(digest: str, kept: Kept | None) -> None:
        row_read.set()
        assert ended.wait(timeout=30)
        write(digest, kept)

    def end_meanwhile() -> None:
        assert row_read.wait(timeout=30)
        session_rows.end(session_rows.sessions_of(alice), reason="")
        ended.set()

    monkeypatch.setattr(session_rows, "_copy_or_forget", slow_write)
    at_once([partial(browser.get, "/"), end_meanwhile])
    assert keys_of_the_test("session:*") == []
    assert not is_logged_in(browser)


def test_an_end_that_redis_did_not_hear_of_is_repeated_by_a_worker(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browser_of(alice)
    assert is_logged_in(browser)

    def die(_digests: object) -> None:
        raise SystemExit(9)

    with monkeypatch.context() as patch:
        patch.setattr(session_rows, "forget", die)
        with pytest.raises(SystemExit):
            session_rows.end(session_rows.sessions_of(alice), reason="")
    assert is_logged_in(browser), "Redis still has the copy"
    drain()
    assert not is_logged_in(browser)
    assert outbox.waiting() == 0


def test_many_pages_and_ends_at_once_leave_what_sql_says(alice: User) -> None:
    browsers = [browser_of(alice) for _ in range(8)]
    doomed = [session_digest(key_of(browser)) for browser in browsers[:4]]
    rows = Session.objects.filter(digest__in=doomed)
    reads = [partial(browser.get, "/settings/") for browser in browsers]
    at_once([*reads, partial(session_rows.end, rows, reason=""), *reads])
    assert [is_logged_in(browser) for browser in browsers] == [False] * 4 + [True] * 4
    assert len(keys_of_the_test("session:*")) == 4


def test_an_account_keeps_its_hundred_newest_sessions(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("users.login.steps.MOST_SESSIONS", 2)
    alice.set_password("seven green bottles")
    alice.save()
    browsers = [Client() for _ in range(4)]
    for browser in browsers:
        browser.post("/login/", {"username": "alice", "password": "seven green bottles"})
    assert [is_logged_in(browser) for browser in browsers] == [False, True, True, True]


def test_expired_sessions_are_removed_every_hour(alice: User, carol: User) -> None:
    for user in (alice, carol):
        browser_of(user)
    expired = Session.objects.all()[:1].get()
    Session.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(hours=1))

    Timetable([Queue("default")], backend=get_backend("default")).queue_due()
    drain()
    assert Session.objects.count() == 1
    assert not Session.objects.filter(pk=expired.pk).exists()
    tasks.remove_expired_sessions.call()  # again changes nothing
    assert Session.objects.count() == 1


def test_a_key_comes_once(stored: SessionStore) -> None:
    with pytest.raises(CreateError):
        stored.save(must_create=True)
    assert SessionStore().exists(stored.session_key or "")
    assert not SessionStore().exists("a" * 32)


@pytest.mark.usefixtures("site_on_a_cluster")
def test_it_is_so_on_a_cluster_too(alice: User) -> None:
    here, there = browser_of(alice), browser_of(alice)
    assert is_logged_in(here)
    assert is_logged_in(there)
    here.post("/settings/sessions/end-others/")
    assert is_logged_in(here)
    assert not is_logged_in(there)
