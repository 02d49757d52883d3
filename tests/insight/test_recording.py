"""What people do is counted exactly, and costs them nothing."""

import contextlib
import time
from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings

from configuration.services import change_settings
from insight import selectors
from insight.recording import calls, sampling, sending
from insight.recording.buffer import buffer
from insight.recording.sending import flush
from insight.structures import levels
from redistools.client import get_client
from redistools.scripts import Batch
from relations.services import follow, unfollow
from statuses.publication import publish
from statuses.publication.publish import Seen
from statuses.reactions.services import boost, like, unlike
from statuses.services import post_status
from statuses.store import find_statuses
from streaming.engine.writer import Writer
from streaming.formats import Lines
from taskqueue import start
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.cluster import on_a_server
from tests.insight.reading import counted
from tests.outages import redis_away
from tests.round_trips import counting_round_trips
from tests.taskqueue.tasks import add, fail
from users.models import User
from users.services import sign_up

pytestmark = pytest.mark.usefixtures("measuring")


def test_requests_are_counted_by_page_and_class(alice: User) -> None:
    visitor, member = Client(), browser_of(alice)
    for _ in range(3):
        member.get("/")
    visitor.get("/@alice/")
    visitor.get("/@nobody/")
    visitor.get("/no/such/page/")
    visitor.get("/notifications/")
    assert (counted("requests", "2xx"), counted("requests", "3xx")) == (4, 1)
    assert counted("requests", "4xx") == 2
    assert counted("pages", "home 2xx") == 3
    assert counted("pages", "profile 2xx") == counted("pages", "profile 4xx") == 1
    assert counted("pages", "unknown page 4xx") == 1
    assert counted("errors") == 0
    assert {it.name: it.count for it in selectors.timings("page")} == {
        "home": 3,
        "profile": 2,
        "unknown page": 1,
        "notifications": 1,
    }


def test_a_page_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_options: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("about.views.render", broken)
    Client(raise_request_exception=False).get(reverse("about"))
    assert (counted("errors"), counted("requests", "5xx")) == (1, 1)


def test_maintenance_is_no_error(alice: User) -> None:
    staff = make_user("root", is_staff=True, is_superuser=True)
    change_settings(by=staff, in_maintenance=True)
    assert browser_of(alice).get("/").status_code == 503
    assert (counted("errors"), counted("requests", "5xx")) == (0, 1)


def test_a_page_that_was_kept_counts_like_one_that_was_made(alice: User) -> None:
    for _ in range(4):
        Client().get("/@alice/")
    assert counted("pages", "profile 2xx") == 4
    assert (counted("kept_pages", "hit"), counted("kept_pages", "miss")) == (3, 1)


def test_a_post_counts_once_however_often_its_copies_are_written(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when its author is renamed or followed in that moment."""

    def twice(see: Callable[[], Seen], write: Callable[[Seen], None], **_known: Seen) -> None:
        write(see())
        write(see())

    monkeypatch.setattr(publish, "write_until_stable", twice)
    post_status(author=alice, text="hello")
    assert counted("posts") == 1


def test_what_members_do_is_counted_exactly(alice: User, bob: User, carol: User) -> None:
    said = post_status(author=alice, text="hello")
    stored = find_statuses([said.pk])[said.pk]
    post_status(author=bob, text="yes", reply_to=said.pk)
    boost(user=carol, status=stored)
    for _ in range(2):
        like(user=carol, status=stored)
    unlike(user=carol, status_id=said.pk)
    like(user=carol, status=stored)
    follow(follower=carol, followee=alice)
    follow(follower=carol, followee=alice)
    unfollow(follower=carol, followee=alice)
    sign_up(username="dora", email="dora@example.com", password="a long phrase for dora")
    drain()
    names = ("posts", "replies", "boosts", "likes", "follows", "sign_ups")
    assert {name: counted(name) for name in names} == {
        "posts": 1,
        "replies": 1,
        "boosts": 1,
        "likes": 2,
        "follows": 2,  # bob's too
        "sign_ups": 1,
    }
    assert counted("notifications") >= 3


def test_what_is_rolled_back_does_not_count(alice: User) -> None:
    with contextlib.suppress(DatabaseError), transaction.atomic():
        sign_up(username="dora", email="dora@example.com", password="a long phrase for dora")
        raise DatabaseError
    assert counted("sign_ups") == 0


def test_a_log_in_is_counted_and_a_wrong_password_is_not(transactional_db: None) -> None:
    sign_up(username="dora", email="dora@example.com", password="a long phrase for dora")
    for password in ("wrong", "a long phrase for dora"):
        Client().post("/login/", {"username": "dora", "password": password})
    assert counted("log_ins") == 1


def test_deliveries_are_the_followers_whom_a_post_reached(alice: User, bob: User) -> None:
    post_status(author=alice, text="hello")
    drain()
    assert counted("deliveries") == 1
    (lag,) = selectors.timings("fan_out")
    assert 0 < lag.most < 60_000


def test_searches_are_counted_and_the_empty_form_is_not(alice: User) -> None:
    browser = browser_of(alice)
    for query in ("", "?q=+", "?q=tea"):
        browser.get(f"/search/{query}")
    assert counted("searches") == 1


def test_tasks_are_counted_by_how_they_ended(transactional_db: None) -> None:
    start.in_redis(add, 1, 2)
    start.in_redis(fail, "broken")
    drain()
    assert counted("tasks_done") == 1
    assert (counted("tasks_retried"), counted("tasks_failed")) == (1, 0)
    names = {it.name for it in selectors.timings("task")}
    assert {it.rpartition(".")[2] for it in names} == {"add", "fail"}


def test_a_slow_client_that_is_cut_off_is_counted() -> None:
    writer = Writer(Lines(), "sample", stall_warnings=False)
    writer._cut_off("You read too slowly.")
    writer._cut_off("You read too slowly.")
    assert counted("slow_clients") == 1


def test_stream_clients_are_the_sum_over_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    for process, clients in (("a:1", 3), ("a:2", 4), ("b:1", 0)):
        monkeypatch.setattr(levels, "_process", lambda process=process: process)
        buffer.level("stream_clients", clients)
        flush()
    assert levels.total("stream_clients") == 7
    sampling.sample()
    assert counted("stream_clients") == 7


def test_a_stream_process_that_died_counts_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    buffer.level("stream_clients", 5)
    flush()
    monkeypatch.setattr(levels, "FRESH_SECONDS", -1)
    assert levels.total("stream_clients") == 0


def test_queues_are_sampled_with_depth_and_age() -> None:
    for _ in range(3):
        start.in_redis(add, 1, 2)
    sampling.sample()
    flush()
    assert counted("queue_depth", "default") == 3
    assert counted("queue_depth", "fan_out") == 0


def test_statements_are_told_apart_by_verb_and_table_and_hold_no_value(alice: User) -> None:
    calls.listen()
    try:
        User.objects.filter(username="alice").count()
        with pytest.raises(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT nothing FROM \"nowhere\" WHERE secret = 'x'")
    finally:
        calls.listen_no_more()
    assert counted("sql_errors") == 1
    names = {it.name for it in selectors.timings("sql")}
    assert {"SELECT users_user", "SELECT nowhere"} <= names
    assert not any("alice" in name or "secret" in name for name in names)
    assert calls.timed_sql not in connections["default"].execute_wrappers


def test_calls_of_redis_are_told_apart_by_script_or_command() -> None:
    calls.listen()
    try:
        get_client().get("a")
        batch = Batch(get_client())
        batch.add("GET", "a")
        batch.add("GET", "b")
        batch.run()
    finally:
        calls.listen_no_more()
    flush()
    assert {it.name: it.count for it in selectors.timings("redis")} == {"GET": 1, "batch": 1}


def test_a_request_asks_no_store_for_what_is_measured(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = browser_of(alice)
    browser.get("/")
    buffer.is_on = False
    with counting_round_trips() as trips_without:
        browser.get("/")
    buffer.is_on = True
    with counting_round_trips() as trips_with:
        browser.get("/")
    assert len(trips_with) == len(trips_without), str(trips_with)


def test_all_of_it_is_sent_in_one_round_trip(alice: User) -> None:
    browser = browser_of(alice)
    browser.get("/")
    flush()
    browser.get("/")
    browser.get("/notifications/")
    with counting_round_trips() as trips:
        flush()
    assert len(trips) == 1, str(trips)


def test_nothing_is_sent_when_nothing_happened() -> None:
    with counting_round_trips() as trips:
        flush()
    assert len(trips) == 0, str(trips)


def test_while_redis_is_away_pages_go_on_and_figures_wait(alice: User) -> None:
    visitor = Client()
    visitor.get("/about/")
    flush()
    with redis_away():
        began = time.monotonic()
        assert visitor.get("/about/").status_code == 200
        flush()
        assert time.monotonic() - began < 1
    assert counted("pages", "about 2xx") == 2
    assert counted("dropped") == 0


@on_a_server  # of a cluster, only one node hangs
def test_what_redis_did_not_answer_is_never_sent_again() -> None:
    """A Redis that hung does it once it is back; one that died does not. Nothing counts twice."""
    buffer.count("posts")
    buffer.count("likes")
    with redis_away(is_known=False):
        flush()
    assert (counted("posts"), counted("likes")) == (1, 1)
    assert counted("dropped") == 2


def test_a_mistake_of_ours_costs_nobody_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr("insight.recording.middleware.record", broken)
    assert Client().get("/about/").status_code == 200


def test_a_process_sends_by_itself_and_the_last_when_it_ends(settings: Settings) -> None:
    settings.INSIGHT, buffer.is_on = True, False
    sending.start()
    try:
        buffer.count("posts")
    finally:
        sending.stop()
    buffer.count("posts")
    assert counted("posts") == 1


def test_a_site_can_turn_it_off(settings: Settings) -> None:
    settings.INSIGHT = buffer.is_on = False
    sending.start()
    assert not buffer.is_on


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ('SELECT "a"."b" FROM "users_user" WHERE "a" = %s', "SELECT users_user"),
        ('SELECT COUNT(*) FROM (SELECT 1 FROM "tags_tag") x', "SELECT tags_tag"),
        ('INSERT INTO "statuses_like" ("id") SELECT 1', "INSERT statuses_like"),
        ('UPDATE "users_user" SET "a" = 1', "UPDATE users_user"),
        ('DELETE FROM "statuses_like"', "DELETE statuses_like"),
        ('SAVEPOINT "s123"', "SAVEPOINT"),
        ("\n  select 1", "SELECT"),
        ("", "?"),
    ],
)
def test_a_statement_is_its_verb_and_table(sql: str, name: str) -> None:
    assert calls.statement(sql) == name
