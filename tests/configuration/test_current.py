"""A setting that was changed holds in every process within a second, and costs pages nothing."""

import asyncio
import subprocess
import sys
from threading import Event, Thread

import pytest
from django.conf import settings as site_of_tests
from django.db import connection
from pytest_django import DjangoAssertNumQueries, Settings

from configuration.current import document, site
from configuration.models import SiteSettings
from configuration.site import Site
from redistools import keys
from redistools.client import get_client
from redistools.shared_document import observer
from redistools.shared_document.document import Copy, SharedDocument
from redistools.shared_document.observer import Observer
from taskqueue.drain import drain
from tests.configuration.conftest import Change
from tests.outages import redis_away
from tests.races import in_threads
from tests.round_trips import counting_round_trips
from tests.running_site import wait_for


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def other(clock: Clock, monkeypatch: pytest.MonkeyPatch, transactional_db: None) -> Observer[Site]:
    """Another process, which has read the settings before."""
    monkeypatch.setattr(observer, "ASK_EVERY_SECONDS", 0.5)
    other = Observer(document, clock=clock)
    other.now()
    return other


def test_the_process_that_changes_a_setting_knows_it_at_once(change: Change) -> None:
    change(name="Larkspur")
    assert site().name == "Larkspur"


def test_others_follow_when_they_ask_again(
    other: Observer[Site], clock: Clock, change: Change
) -> None:
    change(name="Larkspur")
    assert other.now().name == Site.name
    clock.now += 0.5
    assert other.now().name == "Larkspur"


def test_a_process_asks_once_in_half_a_second_and_only_for_the_version(
    other: Observer[Site], clock: Clock
) -> None:
    clock.now += 0.5
    with counting_round_trips() as trips:
        for _ in range(1_000):
            other.now()
        assert len(trips) == 1
        assert b"version" in trips.sent[0]
        assert b"content" not in trips.sent[0]
        clock.now += 0.4
        other.now()
        assert len(trips) == 1


def test_a_lost_copy_is_made_again(
    other: Observer[Site],
    clock: Clock,
    change: Change,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    change(name="Larkspur")
    get_client().delete(keys.site_settings())
    clock.now += 0.5
    with django_assert_num_queries(2):  # it looks again after it has written
        assert other.now().name == "Larkspur"
    clock.now += 0.5
    with django_assert_num_queries(0):
        assert other.now().name == "Larkspur"


@pytest.mark.parametrize("garbage", ["", "{", "[]", "null"])
def test_garbage_in_redis_is_read_again_from_sql(
    other: Observer[Site], clock: Clock, change: Change, garbage: str
) -> None:
    change(name="Larkspur")
    get_client().hset(keys.site_settings(), mapping={"content": garbage, "version": "x"})
    clock.now += 0.5
    assert other.now().name == "Larkspur"


def test_a_key_of_another_type_breaks_nothing(other: Observer[Site], clock: Clock) -> None:
    get_client().delete(keys.site_settings())
    get_client().lpush(keys.site_settings(), "x")
    clock.now += 0.5
    assert other.now().name == Site.name


def test_while_redis_is_away_the_last_settings_hold(
    other: Observer[Site], clock: Clock, change: Change
) -> None:
    change(name="Larkspur")
    clock.now += 0.5
    other.now()
    with redis_away():
        clock.now += 0.5
        assert other.now().name == "Larkspur"


def test_a_process_that_starts_while_redis_is_away_reads_sql(change: Change) -> None:
    change(name="Larkspur")
    with redis_away():
        assert Observer(document).now().name == "Larkspur"


def test_what_is_changed_while_redis_is_away_holds_as_soon_as_it_is_back(
    other: Observer[Site], clock: Clock, change: Change
) -> None:
    with redis_away():
        change(name="Larkspur")
    drain()
    clock.now += 0.5
    assert other.now().name == "Larkspur"


def test_without_sql_and_redis_there_are_defaults(
    transactional_db: None,
) -> None:
    with connection.schema_editor() as editor:
        editor.delete_model(SiteSettings)
    try:
        with redis_away():
            assert Observer(document).now() == Site()
        assert Observer(document).now() == Site()
    finally:
        with connection.schema_editor() as editor:
            editor.create_model(SiteSettings)


def test_one_thread_waits_for_a_hung_redis_and_the_others_go_on(
    other: Observer[Site], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, may_answer = Event(), Event()
    calls: list[object] = []

    def hang(_document: object, version: str | None) -> Copy | None:
        calls.append(version)
        asked.set()
        may_answer.wait(10)
        return None

    monkeypatch.setattr(SharedDocument, "newer_than", hang)
    clock.now += 0.5

    def read() -> str:
        if len(calls):
            asked.wait(10)
        name = other.now().name
        may_answer.set() if calls else None
        return name

    assert in_threads(8, read) == [Site.name] * 8
    assert len(calls) == 1


def test_an_event_loop_does_not_wait(
    other: Observer[Site], clock: Clock, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(name="Larkspur")
    clock.now += 0.5

    threads: list[Thread] = []
    start = Thread.start

    def counted(thread: Thread) -> None:
        threads.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", counted)

    async def read() -> str:
        with counting_round_trips() as trips:
            said = {other.now().name for _ in range(100)}
            assert len(trips) == 0
        return said.pop()

    assert asyncio.run(read()) == Site.name
    assert len(threads) == 1
    wait_for(lambda: other.now().name == "Larkspur", what="the thread that asks")


def test_a_variable_of_the_environment_wins(settings: Settings, change: Change) -> None:
    change(edit_minutes=5, contact="root@example.com")
    settings.EDIT_MINUTES = 0
    assert site().edit_minutes == 0
    assert site().contact == "root@example.com"
    settings.EDIT_MINUTES = None
    assert site().edit_minutes == 5


def test_what_is_not_known_any_more_is_ignored() -> None:
    chosen = {"edit_minutes": "60", "in_maintenance": 1, "colour": "red", "name": "Larkspur"}
    assert Site.of(chosen) == Site(name="Larkspur")


READER = """
import sys, time, django
django.setup()
from configuration.current import site
print(site().name, flush=True)
sys.stdin.readline()
until = time.monotonic() + 1
while site().name != "Larkspur" and time.monotonic() < until:
    time.sleep(0.02)
print(site().name, flush=True)
"""


def test_a_second_process_knows_it_within_a_second(
    change: Change, key_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which can see this test's Redis alone, so what it says it has from there."""
    document.refresh()
    monkeypatch.setenv("REDIS_URL", site_of_tests.REDIS_URL)
    monkeypatch.setenv("REDIS_KEY_PREFIX", key_prefix)
    monkeypatch.setenv("SOCIALSITE_ENV_FILE", "/dev/null")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "socialsite.settings")
    with subprocess.Popen(
        [sys.executable, "-c", READER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=site_of_tests.BASE_DIR,
    ) as reader:
        assert reader.stdin
        assert reader.stdout
        assert reader.stdout.readline().strip() == Site.name
        change(name="Larkspur")
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline().strip() == "Larkspur"
