"""The queue: what comes first, what belongs together, and who works on it."""

import re
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from moderation.categories import DECIDED_WITHIN, GRAVITY, Category, Gravity
from moderation.models import Case, Kind, Report
from moderation.queue import selectors
from moderation.queue.claims import hold
from moderation.queue.selectors import figures, listing, next_case
from moderation.reporting import report_status
from moderation.services import take, take_on_all
from statuses.models import Status
from statuses.selectors import visible_or_404
from statuses.services import delete_status, post_status
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from tests.plans import on_sqlite
from tests.races import in_threads
from users.models import User
from users.services import delete_account

QUEUE = "/moderation/"


@pytest.fixture
def desk(mod: User) -> Client:
    return browser_of(mod)


def text_of(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def order(viewer: User, **filters: object) -> list[int]:
    return [line.case.pk for line in listing(viewer, **filters).lines]  # type: ignore[arg-type] # of filters


def test_every_category_has_a_gravity_and_a_time() -> None:
    assert set(GRAVITY) == set(Category)
    assert set(DECIDED_WITHIN) == set(Gravity)


def test_reports_of_one_thing_are_one_case(
    alice: User, bob: User, carol: User, dave: User, spam: Status, mod: User
) -> None:
    first = complain(alice, spam)
    complain(bob, spam, category="abuse", words="He attacks me")
    about_him = complain(carol, dave)
    case = Case.objects.get(pk=first.pk)
    assert (case.reports_count, case.category, case.gravity) == (2, "abuse", Gravity.SERIOUS)
    assert case.due_at == Report.objects.get(category="abuse").created_at + timedelta(days=1)
    assert order(mod) == [first.pk, about_him.pk]


def test_the_gravest_come_first_and_then_what_is_due(
    alice: User, bob: User, dave: User, mod: User
) -> None:
    posts = [post_status(author=dave, text=f"post {it}") for it in range(4)]
    spam, abuse, harm, more = (
        complain(alice, post, category=category).pk
        for post, category in zip(posts, ("spam", "abuse", "harm", "abuse"), strict=True)
    )
    assert order(mod) == [harm, abuse, more, spam]
    complain(bob, posts[0], category="harm")
    assert order(mod) == [harm, spam, abuse, more]
    Case.objects.filter(pk=more).update(due_at=timezone.now() - timedelta(hours=3))
    assert order(mod) == [harm, spam, more, abuse]


def test_the_page_says_when_each_is_due(
    desk: Client, alice: User, bob: User, spam: Status, dave: User
) -> None:
    report = complain(alice, spam, category="harm")
    complain(bob, dave, category="impersonation")
    Case.objects.filter(pk=report.pk).update(
        due_at=timezone.now() + timedelta(minutes=8, seconds=9)
    )
    Case.objects.exclude(pk=report.pk).update(due_at=timezone.now() - timedelta(hours=3, minutes=1))
    page = text_of(desk.get(QUEUE).content.decode())
    assert "Grave: decide within 1 hour" in page
    assert "due in 8 min" in page
    assert "3 h late" in page
    assert "Self-harm or violence · @dave Buy #pills now 1 report Nobody yet" in page
    assert "Pretends to be somebody else · @dave Buy now! 1 report" in page


def test_a_case_is_closed_with_its_last_report(
    alice: User, bob: User, spam: Status, mod: User
) -> None:
    grave, minor = complain(alice, spam, category="harm"), complain(bob, spam)
    take(Kind.DISMISS, grave, by=mod)
    case = Case.objects.get()
    assert (case.is_open, case.reports_count, case.gravity) == (True, 1, Gravity.MINOR)
    assert case.due_at == minor.created_at + timedelta(days=3)
    take(Kind.WARN, minor, by=mod, reason="No.")
    case.refresh_from_db()
    assert (case.is_open, case.closed_by) == (False, mod)
    assert complain(alice, spam).case_id != case.pk, "a new report opens a new case"


def test_deletions_elsewhere_close_cases_too(
    alice: User, bob: User, spam: Status, dave: User, mod: User
) -> None:
    complain(alice, spam)
    delete_status(status=spam, by=mod)
    assert not Case.objects.get().is_open
    reports = [complain(alice, dave), complain(bob, dave)]
    take_on_all(Kind.SILENCE, reports, by=mod, reason="Spam.", seen=1)
    assert not Case.objects.filter(is_open=True).exists()


def test_a_case_outlives_what_it_is_about(
    desk: Client, alice: User, bob: User, spam: Status, dave: User
) -> None:
    reports = [complain(alice, spam), complain(bob, spam), complain(alice, dave)]
    delete_account(user=dave)
    for report in reports:
        page = desk.get(f"/moderation/cases/{report.pk}/", follow=True)
        assert page.status_code == 200
        assert "The account is deleted." in page.content.decode()
    form = {"choice": "dismiss", "seen": "0"}
    for report in (reports[0], reports[2]):
        assert desk.post(f"/moderation/cases/{report.pk}/", form).status_code == 302
    assert not Report.objects.filter(is_open=True).exists()


def test_two_reports_at_once_make_one_case(
    alice: User, carol: User, bob: User, spam: Status
) -> None:
    waiting = [alice, carol, bob]

    def report() -> None:
        who = waiting.pop()
        seen = visible_or_404(spam.pk, viewer=who)
        report_status(reporter=who, status=seen, category="spam", words="")

    in_threads(3, report)
    assert Case.objects.get().reports_count == 3
    assert set(Report.objects.values_list("case", flat=True)) == {Case.objects.get().pk}


def test_pages_go_on_where_the_one_before_ended(
    alice: User, dave: User, mod: User, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors, "PAGE_SIZE", 2)
    moment = timezone.now()
    for number, gravity in enumerate((1, 1, 3, 2, 1), 1):
        row = {"username": "dave", "category": "spam", "gravity": gravity, "reports_count": 1}
        Case.objects.create(pk=number, opened_at=moment, due_at=moment, **row)
    pages, after = [], None
    while True:
        page = listing(mod, after=after)
        pages.append([line.case.pk for line in page.lines])
        if not (after := page.after):
            break
    assert pages == [[3, 4], [1, 2], [5]]
    assert 'href="?category=&amp;whose=&amp;after=4"' in desk.get(QUEUE).content.decode()
    assert desk.get(f"{QUEUE}?after=4").status_code == 200


def test_filters_leave_out_the_rest(
    alice: User, bob: User, spam: Status, dave: User, mod: User, boss: User
) -> None:
    about_post, about_him = complain(alice, spam), complain(bob, dave, category="abuse")
    assert order(mod, category="abuse") == [about_him.pk]
    assert order(mod, category="harm") == []
    hold(Case.objects.get(pk=about_post.pk), by=mod)
    assert order(mod, whose="mine") == [about_post.pk]
    assert order(boss, whose="mine") == []
    assert order(boss, whose="free") == [about_him.pk]


@pytest.mark.parametrize(
    "query",
    ["category=x", "whose=x", "after=x", "after=-1", "after=" + "9" * 30, "category=%00"],
)
def test_a_wrong_filter_is_refused(desk: Client, query: str) -> None:
    assert desk.get(f"{QUEUE}?{query}").status_code == 400


def test_a_page_that_begins_nowhere_is_not_found(desk: Client) -> None:
    assert desk.get(f"{QUEUE}?after=4711").status_code == 404


def test_nobody_sees_the_case_about_themselves(
    mod: User, boss: User, alice: User, desk: Client
) -> None:
    before = text_of(desk.get(QUEUE).content.decode())
    report = complain(alice, mod, words="the words of the witness")
    assert text_of(desk.get(QUEUE).content.decode()) == before, "figures too"
    assert "waiting" not in text_of(desk.get("/").content.decode())
    assert order(mod) == []
    assert next_case(mod) is None
    for address in (QUEUE, f"{QUEUE}cases/{report.pk}/", f"{QUEUE}?after={report.pk}"):
        assert "witness" not in desk.get(address).content.decode()
    for way in ("", "let-go/", "take-over/", "notes/"):
        form = {"choice": "dismiss", "seen": "0", "text": "me"}
        assert desk.post(f"{QUEUE}cases/{report.pk}/{way}", form).status_code == 404
    assert order(boss) == [report.pk]


def test_figures_say_what_is_open_and_what_was_done(
    alice: User, bob: User, spam: Status, dave: User, mod: User, desk: Client
) -> None:
    complain(bob, dave, category="harm")
    decided = complain(alice, spam)
    take(Kind.DISMISS, decided, by=mod)
    closed = Case.objects.filter(pk=decided.pk)
    closed.update(opened_at=timezone.now() - timedelta(hours=5))
    found = figures(mod, timezone.now())
    assert found.by_gravity == [(3, 1), (2, 0), (1, 0)]
    assert found.oldest is not None
    assert found.decided_today == [("mod_ann", 1)]
    assert found.median is not None
    assert round(found.median / timedelta(hours=1)) == 5
    assert "Decided today @mod_ann 1" in text_of(desk.get(QUEUE).content.decode())


@on_sqlite
def test_no_page_of_the_queue_reads_all_cases(mod: User, alice: User, spam: Status) -> None:
    """Each query about cases enters an index: a hundred thousand open ones are no slower."""
    case = complain(alice, spam).case
    assert case is not None
    reads: list[partial[Any]] = [
        partial(listing, mod),
        partial(listing, mod, category="spam"),
        partial(listing, mod, whose="free"),
        partial(listing, mod, after=case.pk),
        partial(figures, mod, timezone.now()),
        partial(next_case, mod),
        partial(selectors.open_count, mod),
    ]
    for read in reads:
        with CaptureQueriesContext(connection) as queries:
            read()
        for query in queries.captured_queries:
            plan = _plan_of(query["sql"])
            assert "SCAN moderation_case\n" not in plan, (query["sql"], plan)
            assert "TEMP B-TREE" not in plan, (query["sql"], plan)


def _plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "".join(f"{row[3]}\n" for row in cursor.fetchall())


def test_the_page_costs_the_same_for_many_cases(
    desk: Client, alice: User, dave: User, spam: Status
) -> None:
    complain(alice, spam)
    desk.get(QUEUE)

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert desk.get(QUEUE).status_code == 200
        return len(queries)

    few = cost()
    moment = timezone.now()
    rows = {"username": "dave", "category": "spam", "gravity": 1, "reports_count": 1}
    Case.objects.bulk_create(
        Case(pk=10**6 + it, opened_at=moment, due_at=moment, **rows) for it in range(40)
    )
    assert cost() == few <= 15


def test_only_moderators_find_the_way_in_the_navigation(
    alice: User, bob: User, spam: Status, desk: Client
) -> None:
    complain(alice, spam)
    page = desk.get("/").content.decode()
    assert 'href="/moderation/"' in page
    assert "1 waiting" in text_of(page)
    clerk = make_user("clerk", is_staff=True)
    for who in (bob, clerk):
        browser = browser_of(who)
        browser.get("/")
        with CaptureQueriesContext(connection) as queries:
            assert 'href="/moderation/"' not in browser.get("/").content.decode()
        assert "moderation_case" not in " ".join(it["sql"] for it in queries)


def test_reports_from_before_there_were_cases_are_gathered(
    alice: User, bob: User, carol: User, spam: Status, dave: User, mod: User
) -> None:
    complain(alice, spam)
    complain(bob, spam, category="harm")
    complain(carol, dave)
    take(Kind.DISMISS, complain(carol, alice), by=mod)
    expected = list(Case.objects.filter(is_open=True).order_by("pk").values())
    links = list(Report.objects.filter(is_open=True).order_by("pk").values("pk", "case"))
    Report.objects.update(case=None)
    Case.objects.all().delete()
    import_module("moderation.migrations.0004_open_cases").gather(apps, None)
    assert list(Case.objects.order_by("pk").values()) == expected
    assert list(Report.objects.filter(is_open=True).order_by("pk").values("pk", "case")) == links
