"""Reports, accounts and statuses as moderators work with them."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from moderation.actions import ACTIONS
from moderation.admin import measuring
from moderation.models import Kind, Measure, Report
from moderation.services import take as take_measure
from staff.models import Action, AuditEntry
from statuses.models import Status
from statuses.services import delete_status, edit_status, post_status
from tests.cast import browser_of, clicks, make_user
from tests.moderation.conftest import complain
from users.models import User
from users.services import delete_account
from users.standing.suspension import suspended_ids

REPORTS = "/admin/moderation/report/"
MEASURES = "/admin/moderation/measure/"
USERS = "/admin/users/user/"
STATUSES = "/admin/statuses/status/"


@pytest.fixture
def admin(mod: User) -> Client:
    return browser_of(mod)


def fields_of(kind: str, *chosen: Any, seen: int | str = 0, **more: Any) -> dict[str, Any]:
    """What the page that asks why sends."""
    ids = [it.pk for it in chosen]
    form = {"action": kind, "_selected_action": ids, "confirmed": "yes", "seen": seen}
    return form | {"reason": "He sells pills."} | more


def take(browser: Client, address: str, kind: str, *chosen: Any, **more: Any) -> str:
    answer = browser.post(address, fields_of(kind, *chosen, **more), follow=True)
    return answer.content.decode()


def test_open_reports_come_first(
    admin: Client, alice: User, bob: User, dave: User, spam: Status
) -> None:
    reports = [complain(alice, spam), complain(bob, spam), complain(alice, dave, category="abuse")]
    take(admin, REPORTS, "dismiss", reports[1])
    listed = admin.get(REPORTS)
    found = [it.pk for it in listed.context["cl"].result_list]
    assert found == [reports[2].pk, reports[0].pk, reports[1].pk]
    page = listed.content.decode()
    assert f'<a href="/@dave/{spam.pk}/">post {spam.pk} by @dave</a>' in page
    assert '<a href="/@dave/">@dave</a>' in page
    assert f'<a href="{USERS}{dave.pk}/change/">@dave</a>' in page
    for query, count in (
        ({"is_open__exact": "0"}, 1),
        ({"category__exact": "abuse"}, 1),
        ({"created_at__gte": "2020-01-01 00:00:00+00:00"}, 3),
        ({"q": "@DAVE"}, 3),
        ({"q": str(spam.pk)}, 2),
        ({"q": "alice"}, 0),
        ({"q": "9" * 50}, 0),
    ):
        assert len(admin.get(REPORTS, query).context["cl"].result_list) == count, query


def test_a_report_shows_what_was_said_and_what_was_done(
    admin: Client, alice: User, dave: User, spam: Status, mod: User
) -> None:
    edit_status(status=spam, by=dave, text="Buy tea")
    take_measure(Kind.WARN, dave, by=mod, reason="last time")
    report = complain(alice, spam, words="look at the versions")
    delete_status(status=spam, by=dave)
    page = admin.get(f"{REPORTS}{report.pk}/change/").content.decode()
    for words in (
        "Buy tea",
        "Buy #pills now",
        "look at the versions",
        "Warned: @dave",
        "last time",
    ):
        assert words in page
    assert "@alice" in page
    assert "Dave the spammer @dave" in page
    assert all(f'<option value="{it.value}">{ACTIONS[it].title}' in page for it in Kind)


def test_every_measure_asks_first_and_says_what_happens(
    admin: Client, alice: User, spam: Status
) -> None:
    report = complain(alice, spam)
    for kind in Kind:
        form = {"action": kind.value, "_selected_action": [report.pk]}
        answer = admin.post(REPORTS, form)
        assert answer.status_code == 200
        assert answer.context["effect"] == ACTIONS[kind].effect
        assert f"Report {report.pk}: post {spam.pk} by @dave" in answer.content.decode()
    assert not Measure.objects.exists()


@pytest.mark.parametrize("kind", Kind)
def test_moderators_take_every_measure_on_a_report(
    admin: Client, alice: User, dave: User, spam: Status, mod: User, kind: Kind
) -> None:
    report = complain(alice, spam)
    if kind == Kind.RESTORE:
        User.objects.filter(pk=dave.pk).update(is_active=False)
    if kind == Kind.UNSILENCE:
        User.objects.filter(pk=dave.pk).update(is_silenced=True)
    if kind in (Kind.REMOVE_AVATAR, Kind.REMOVE_HEADER):
        User.objects.filter(pk=dave.pk).update(avatar="a" * 20, header="b" * 20)
    if kind == Kind.UNMARK_SENSITIVE:
        Status.objects.filter(pk=spam.pk).update(is_sensitive=True)
    assert f"{kind.label}: " in take(admin, REPORTS, kind, report)
    measure = Measure.objects.get()
    assert (measure.kind, measure.by, measure.reason) == (kind, mod, "He sells pills.")
    [logged] = AuditEntry.objects.filter(action=Action.MEASURE)
    assert (logged.by, logged.role, logged.address) == (mod, "moderator", "127.0.0.1")
    assert (logged.kind, logged.object_id) == ("moderation.measure", str(measure.pk))
    assert logged.object_text == str(measure)
    report.refresh_from_db()
    assert report.closed_with == measure
    dave.refresh_from_db()
    assert dave.is_active is (kind != Kind.SUSPEND)
    assert dave.is_silenced is (kind == Kind.SILENCE)
    assert dave.unread_warnings == (kind == Kind.WARN)
    assert Status.objects.filter(pk=spam.pk).exists() is (kind != Kind.DELETE_STATUS)


def test_accounts_are_suspended_and_restored_in_their_list(
    admin: Client, dave: User, carol: User
) -> None:
    assert "Suspended: @" in take(admin, USERS, "suspend", dave, carol)
    assert suspended_ids() == {dave.pk, carol.pk}
    assert "Restored: @dave." in take(admin, USERS, "restore", dave, seen=1)
    assert suspended_ids() == {carol.pk}
    log = AuditEntry.objects.filter(action=Action.MEASURE, object_text__endswith="@dave")
    texts = [entry.object_text for entry in log.order_by("pk")]
    assert texts == ["Suspended: @dave", "Restored: @dave"]
    page = admin.get(f"{USERS}{dave.pk}/change/").content.decode()
    assert "Suspended: @dave" in page
    assert "Take a measure" in page


def test_statuses_are_deleted_and_marked_in_their_list(
    admin: Client, alice: User, spam: Status, dave: User
) -> None:
    other = post_status(author=dave, text="more")
    report = complain(alice, spam)
    assert "Take a measure" in admin.get(f"{STATUSES}{spam.pk}/change/").content.decode()
    take(admin, STATUSES, "mark_sensitive", spam, other)
    assert Status.objects.filter(is_sensitive=True).count() == 2
    take(admin, STATUSES, "delete_status", spam, seen=2, closes_others="on")
    assert list(Status.objects.all()) == [other]
    report.refresh_from_db()
    assert report.closed_with is not None
    dave.refresh_from_db()
    assert dave.statuses_count == 1


def test_several_reports_about_one_account_lead_to_one_measure(
    admin: Client, alice: User, bob: User, carol: User, dave: User, spam: Status
) -> None:
    reports = [complain(alice, spam), complain(bob, spam), complain(carol, dave)]
    take(admin, REPORTS, "suspend", *reports)
    measure = Measure.objects.get()
    assert set(measure.closes.all()) == set(reports)


@pytest.mark.parametrize("closes", [True, False])
def test_other_reports_are_closed_if_wanted(
    admin: Client, alice: User, bob: User, spam: Status, closes: bool
) -> None:
    reports = [complain(alice, spam), complain(bob, spam)]
    take(admin, REPORTS, "warn", reports[0], **({"closes_others": "on"} if closes else {}))
    assert Report.objects.filter(is_open=True).count() == (0 if closes else 1)


def test_a_double_click_and_a_colleague_change_nothing_more(
    admin: Client, alice: User, dave: User, spam: Status, mod: User
) -> None:
    report = complain(alice, spam)
    form = fields_of("warn", report)
    codes = clicks([browser_of(mod) for _ in range(3)], REPORTS, form)
    assert sorted(codes) == [302, 400, 400]
    assert Measure.objects.count() == 1
    late = admin.post(REPORTS, fields_of("suspend", report))
    assert late.status_code == 400
    assert "Somebody has taken a measure here meanwhile" in late.content.decode()
    assert 'name="seen" value="1"' in late.content.decode()
    dave.refresh_from_db()
    assert (dave.is_active, dave.unread_warnings) == (True, 1)


def test_one_refusal_refuses_all(
    admin: Client, alice: User, dave: User, spam: Status, boss: User, mod: User
) -> None:
    page = take(admin, USERS, "suspend", dave, boss)
    assert "Nothing was changed: @boss: Nobody decides about themselves" in page
    assert "Nothing was changed: @mod_ann" in take(admin, USERS, "suspend", dave, mod)
    report, about_him = complain(alice, spam), complain(alice, dave)
    answer = admin.post(REPORTS, fields_of("delete_status", report, about_him))
    assert answer.status_code == 400
    assert "there is no such post, or no longer" in answer.content.decode()
    assert not Measure.objects.exists()
    assert Status.objects.exists()
    assert suspended_ids() == frozenset()


@pytest.mark.parametrize(
    "broken",
    [
        {"reason": ""},
        {"reason": "x" * 1001},
        {"reason": "evil \u202e"},
        {"reason": "nul \x00"},
        {"seen": ""},
        {"seen": "9" * 40},
        {"seen": "x"},
    ],
)
def test_hostile_forms_are_refused(
    admin: Client, alice: User, spam: Status, broken: dict[str, str]
) -> None:
    report = complain(alice, spam)
    answer = admin.post(REPORTS, fields_of("suspend", report) | broken)
    assert answer.status_code == 400
    assert not Measure.objects.exists()


def test_hostile_selections_change_nothing(admin: Client, dave: User, spam: Status) -> None:
    for address in (REPORTS, USERS, STATUSES):
        for selected in ("x", "-1", "1e9", "9" * 40, "' OR 1=1", "\x00"):
            form = fields_of("suspend") | {"_selected_action": [selected]}
            assert admin.post(address, form).status_code == 400
        for form in (
            fields_of("no_such_action", spam),
            fields_of("suspend") | {"_selected_action": ["4711"]},
            {"action": "suspend", "confirmed": "yes"},
        ):
            assert admin.post(address, form).status_code in (200, 302)
        for query in ("?p=x", "?o=x", "?q=%00", "?e=1", "?status__text=x", "?account__email=x"):
            assert admin.get(address + query).status_code in (200, 302, 400), query
        for number in ("x", "9" * 40, "4711"):
            assert admin.get(f"{address}{number}/change/", follow=True).status_code == 200
    assert not Measure.objects.exists()
    assert User.objects.get(pk=dave.pk).is_active


def test_too_many_at_once_are_refused(
    admin: Client, dave: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "MOST_AT_ONCE", 1)
    assert "choose at most 1 at once" in take(admin, USERS, "suspend", dave, carol)
    assert suspended_ids() == frozenset()


@pytest.mark.parametrize("rights", [[], ["view_report", "view_measure", "view_user"]])
def test_without_the_right_there_are_no_measures(
    alice: User, dave: User, spam: Status, rights: list[str]
) -> None:
    onlooker = make_user("onlooker", is_staff=True)
    onlooker.user_permissions.set(Permission.objects.filter(codename__in=rights))
    report = complain(alice, spam)
    browser = browser_of(onlooker)
    for address, chosen in ((REPORTS, report), (USERS, dave), (STATUSES, spam)):
        code = browser.post(address, fields_of("suspend", chosen)).status_code
        assert code in (200, 302, 403)
        page = browser.get(f"{address}{chosen.pk}/change/").content.decode()
        assert "Take a measure" not in page
    assert not Measure.objects.exists()
    assert browser.get(REPORTS).status_code == (200 if rights else 403)


def test_members_do_not_enter(alice: User, carol: User, spam: Status) -> None:
    report = complain(alice, spam)
    for browser in (Client(), browser_of(carol)):
        for address in (REPORTS, f"{REPORTS}{report.pk}/change/", MEASURES):
            assert browser.get(address, follow=True).status_code in (200, 403)
            assert "pills" not in browser.get(address, follow=True).content.decode()
    assert browser_of(carol).post(REPORTS, fields_of("dismiss", report)).status_code in (302, 403)
    assert Report.objects.get().is_open


def test_nobody_changes_or_deletes_reports_and_measures(
    alice: User, dave: User, spam: Status, boss: User
) -> None:
    report = complain(alice, spam)
    measure = take_measure(Kind.WARN, report, by=boss, reason="stop")
    browser = browser_of(boss)
    for address, row in ((MEASURES, measure), (REPORTS, report)):
        assert browser.get(address).status_code == 200
        assert browser.get(f"{address}{row.pk}/change/").status_code == 200
        assert browser.get(f"{address}add/").status_code == 403
        form: dict[str, Any] = {
            "reason": "forged",
            "words": "forged",
            "kind": "restore",
            "is_open": "on",
        }
        assert browser.post(f"{address}{row.pk}/change/", form).status_code == 403
        assert browser.post(f"{address}{row.pk}/delete/", {"post": "yes"}).status_code == 403
        form = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        browser.post(address, form)
    measure.refresh_from_db()
    assert (measure.reason, measure.kind) == ("stop", "warn")
    assert Report.objects.get().words == ""


def test_pages_about_what_is_gone_still_work(
    alice: User, bob: User, dave: User, spam: Status, boss: User
) -> None:
    reports = [complain(alice, spam), complain(bob, dave)]
    take_measure(Kind.WARN, reports[0], by=boss, reason="stop")
    delete_account(user=dave)
    delete_account(user=alice)
    browser = browser_of(boss)
    for address in (REPORTS, MEASURES, f"{REPORTS}?q=dave"):
        page = browser.get(address).content.decode()
        assert "@dave (deleted)" in page
        assert 'href="/@dave/' not in page, "somebody else may take the name"
    for address in (
        *(f"{REPORTS}{it.pk}/change/" for it in reports),
        f"{MEASURES}{Measure.objects.get().pk}/change/",
    ):
        assert "Dave the spammer" in browser.get(address).content.decode()


def test_the_list_of_measures_can_be_filtered_and_searched(
    admin: Client, dave: User, spam: Status, mod: User
) -> None:
    take(admin, USERS, "warn", dave)
    take(admin, STATUSES, "mark_sensitive", spam, seen=1)
    for query, count in (
        ({}, 2),
        ({"kind__exact": "warn"}, 1),
        ({"q": "dave"}, 2),
        ({"q": str(spam.pk)}, 1),
        ({"q": "mod_ann"}, 0),
    ):
        assert len(admin.get(MEASURES, query).context["cl"].result_list) == count, query
    browser_of(dave).post(f"/warnings/{dave.warnings.get().pk}/acknowledge/")
    warned = Measure.objects.get(kind="warn")
    page = admin.get(f"{MEASURES}{warned.pk}/change/").content.decode()
    assert "Warning read" in page


def test_lists_do_not_ask_for_each_row(
    admin: Client, mod: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(8):
        author = make_user(f"author{number}")
        complain(mod, post_status(author=author, text="spam"))
        complain(mod, author)
    with django_assert_max_num_queries(12):
        assert len(admin.get(REPORTS).context["cl"].result_list) == 16


def test_nothing_but_a_measure_seems_to_close_a_report(
    admin: Client, alice: User, dave: User, spam: Status, boss: User
) -> None:
    report = complain(alice, spam)
    pages = [f"{REPORTS}{report.pk}/", f"{USERS}{dave.pk}/", f"{STATUSES}{spam.pk}/"]
    for address in pages:
        page = admin.get(f"{address}change/").content.decode()
        assert "Take a measure" in page
        assert "closelink" not in page
        assert ">Close<" not in page
    assert 'name="_save"' in browser_of(boss).get(f"{USERS}{dave.pk}/change/").content.decode()


@pytest.mark.parametrize("kind", Kind)
def test_moderators_know_who_reads_their_reasons(
    admin: Client, alice: User, spam: Status, kind: Kind
) -> None:
    form = {"action": kind.value, "_selected_action": [complain(alice, spam).pk]}
    page = admin.post(REPORTS, form).content.decode()
    is_told = kind in (Kind.WARN, Kind.SUSPEND, Kind.DELETE_STATUS)
    assert ("They read these words. Don" in page) is is_told
    assert ("Only moderators read this." in page) is not is_told
