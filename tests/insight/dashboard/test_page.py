"""The dashboard: its sums are what was counted, and it says first what is wrong."""

import csv
import io
import re

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import DjangoAssertNumQueries, Settings

from insight.dashboard import busiest, files
from insight.dashboard.ranges import RANGES
from insight.recording.buffer import buffer
from insight.recording.sending import flush, send
from insight.sketch import ERROR
from insight.tasks import keep_days, keep_weeks
from moderation.models import Kind
from moderation.services import take
from relations.services import follow
from staff.roles import Role
from staff.services import give_role
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.insight.dashboard.pages import Shown, shown_in
from tests.outages import redis_away
from tests.round_trips import counting_round_trips
from users.audience import Visibility
from users.models import User
from users.services import sign_up

pytestmark = pytest.mark.usefixtures("measuring")
ADDRESS = "/admin/insight/"


def open_page(browser: Client, shown: str = "hour") -> Shown:
    flush()
    return shown_in(browser.get(ADDRESS, {"range": shown}))


def test_every_range_shows_exactly_what_a_load_did(support: Client, alice: User, bob: User) -> None:
    """As `test_load.py` finds it with a running site."""
    follow(follower=bob, followee=alice)
    first = post_status(author=alice, text="hello")
    post_status(author=bob, text="yes", reply_to=first.pk)
    sign_up(username="dora", email="dora@example.com", password="correct horse battery")
    drain()
    reader = browser_of(bob)
    assert [reader.get("/").status_code for _ in range(7)] == [200] * 7
    for opened, shown in enumerate(RANGES):
        page = open_page(support, shown.key)
        assert page.sums["posts"] == 2
        assert page.sums["sign_ups"] == 1
        assert page.sums["requests"] == 7 + opened, "and each look at it"
        assert page.sums["deliveries"] == 1
        assert page.sums["errors"] == 0
        columns = zip(*(row[1:] for row in page.table("posts")), strict=True)
        assert [sum(map(int, it)) for it in columns] == [2, 1, 0, 0], "replies, boosts, before"


def test_percentiles_are_within_two_percent(support: Client) -> None:
    for ms in range(1, 1001):
        buffer.timed("page", f"page {ms % 9}", ms / 1000)
    flush()
    text = support.get(f"{ADDRESS}response_times.csv", {"range": "5min"}).text
    rows = [row for row in csv.reader(io.StringIO(text)) if row[1:4] != ["", "", ""]]
    [heads, newest] = rows
    assert heads[1:4] == ["p50", "p95", "p99"]
    for said, exact in zip(newest[1:4], (500, 950, 990), strict=True):
        assert float(said) == pytest.approx(exact, rel=ERROR)


def test_every_table_is_there_as_a_file(support: Client, alice: User) -> None:
    browser_of(alice).get("/")
    flush()
    keep_days.call()
    keep_weeks.call()
    page = support.get(ADDRESS, {"range": "day"}).text
    for key in files.FILES:
        assert f"{ADDRESS}{key}.csv?range=day" in page
        answer = support.get(f"{ADDRESS}{key}.csv", {"range": "day"})
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert f'filename="{key}.csv"' in answer["Content-Disposition"]
        heads, *rows = csv.reader(io.StringIO(answer.text))
        assert {len(row) for row in rows} <= {len(heads)}
        assert key in ("marks", "memory") or rows


def test_a_file_that_is_not_there_is_not_found(support: Client) -> None:
    assert support.get(f"{ADDRESS}secrets.csv").status_code == 404


def test_the_file_of_a_plot_adds_up_to_what_the_page_says(support: Client) -> None:
    buffer.count("posts", by=1_234)
    buffer.count("replies", by=66)
    page = open_page(support)
    rows = list(csv.DictReader(io.StringIO(support.get(f"{ADDRESS}posts.csv").text)))
    assert page.sums["posts"] == sum(int(row["Posts"]) for row in rows) == 1_300
    assert sum(int(row["Boosts"]) for row in rows) == 0
    assert len(rows) == 60


def test_the_period_before_is_compared(support: Client) -> None:
    buffer.count("posts", by=30)
    taken = buffer.take()
    taken.counts = {(name, second - 3_600): 20 for name, second in taken.counts}
    send(taken)
    buffer.count("posts", by=30)
    page = open_page(support)
    assert "30 in all, 20 before" in page.summary("posts")
    assert "50 % more" in page.tiles["Posts"]


# What is wrong comes first -----------------------------------------------------------------------


def test_a_calm_site_has_nothing_to_say(support: Client) -> None:
    buffer.peak("queue_depth", 3, "default")
    assert open_page(support).troubles == []


def test_a_site_without_workers_says_so(support: Client) -> None:
    [trouble] = open_page(support).troubles
    assert "No worker says anything" in trouble
    assert 'href="#queue_depth"' in trouble


def test_each_trouble_is_a_sentence_with_a_link_and_marks_its_figure(support: Client) -> None:
    buffer.peak("queue_depth", 3_410, "default")
    buffer.peak("queue_age", 95_000, "default")
    buffer.timed("fan_out", "lag", 2.8)
    buffer.count("errors", by=2)
    buffer.count("tasks_failed")
    buffer.count("sql_errors", by=3)
    buffer.count("dropped", by=7)
    page = open_page(support, "year")
    said = [re.sub("<.*?>", "", it).strip() for it in page.troubles]
    assert said == [
        "Tasks wait: 3,410 of them, the first for 95 s. Look at the queue",
        "Timelines lag behind: one post in a hundred comes after 2.8 s. Look at the lag",
        "2 requests failed in the last five minutes. Look at the errors",
        "1 task was given up in the last five minutes. Look at failed tasks",
        "3 calls of Redis or SQL failed in the last five minutes. Look at the errors",
        "7 figures may be missing: Redis was away.",
    ]
    assert page.late == {"Requests", "Queue depth", "Fan-out lag, p99"}


def test_a_site_that_does_not_measure_says_so(support: Client, settings: Settings) -> None:
    settings.INSIGHT = False
    [trouble] = open_page(support).troubles
    assert "Nothing is measured" in trouble


# Marks ------------------------------------------------------------------------------------------


def test_measures_are_counted_without_anybodys_name(support: Client, alice: User) -> None:
    moderator = make_user("moira")
    give_role(user=moderator, role=Role.MODERATOR)
    for text in ("one", "two"):
        said = post_status(author=alice, text=text)
        take(Kind.MARK_SENSITIVE, said, by=moderator, reason="because of Moira")
    page = open_page(support, "day")
    assert page.marks == ["Marked as sensitive: 2"]
    assert page.text.count('class="mark-measure"') == 1 + len(page.sums) + page.others
    assert "moira" not in page.text.lower()
    assert "alice" not in page.text


# Who reads it, and what ---------------------------------------------------------------------------


def test_only_what_everybody_may_see_is_among_the_most_viewed(support: Client, alice: User) -> None:
    public = post_status(author=alice, text="for everybody")
    private = post_status(author=alice, text="for followers", visibility=Visibility.FOLLOWERS)
    for status in (public, private):
        browser_of(alice).get(f"/@alice/{status.pk}/")
    page = open_page(support)
    assert "for everybody" in page.text
    assert "for followers" not in page.text


def test_people_are_counted_and_come_back(support: Client, alice: User, bob: User) -> None:
    for user in (alice, bob):
        browser_of(user).get("/")
    flush()
    keep_days.call()
    page = open_page(support)
    assert page.active == {"Members today": 2, "in 7 days": 2, "in 30 days": 2}
    assert page.table("people")[0][1] == "2"


def test_the_slowest_come_first(support: Client) -> None:
    for name, seconds in (("quick", 0.001), ("slow", 4.0), ("usual", 0.05)):
        buffer.timed("task", name, seconds)
    flush()
    [tasks] = [it for it in busiest.slowest() if it.kind == "task"]
    assert [it.name for it in tasks.timings] == ["slow", "usual", "quick"]
    assert "4 s" in open_page(support).text


# Without Redis ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_known", [True, False])
def test_without_redis_it_says_so_and_shows_what_sql_keeps(
    support: Client, alice: User, is_known: bool
) -> None:
    browser_of(alice).get("/")
    flush()
    keep_days.call()
    support.get(ADDRESS)
    with redis_away(is_known=is_known):
        answer = support.get(ADDRESS)
        assert support.get(f"{ADDRESS}people.csv").status_code == 200
        support.raise_request_exception = False
        assert support.get(f"{ADDRESS}posts.csv").status_code == 503
    assert answer.status_code == 200
    assert "Redis does not answer, so there are no figures now" in answer.text
    assert date_format(timezone.now(), "MONTH_DAY_FORMAT") in answer.text
    assert 'id="posts"' not in answer.text
    assert "data-stream=" not in answer.text


def test_it_is_chinese_for_those_who_read_it(support: Client, helper: User) -> None:
    User.objects.filter(pk=helper.pk).update(language="zh-hans")
    page = support.get(ADDRESS).text
    assert "仪表板" in page
    left = re.findall(r"<(?:h1|h2|h3|summary|dt|button)[^>]*>\s*([A-Z][a-z ]+)<", page)
    assert left == []


def test_it_costs_the_same_whatever_was_counted(
    support: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    open_page(support)
    with counting_round_trips() as few:
        support.get(ADDRESS)
    for number in range(50):
        buffer.timed("sql", f"SELECT table_{number}", 0.01)
        buffer.count("pages", f"page {number} 2xx")
    flush()
    with counting_round_trips() as many, django_assert_max_num_queries(15):
        support.get(ADDRESS)
    assert len(many) <= len(few) + 4, "one more for each kind that has names now"
