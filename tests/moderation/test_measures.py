"""Each measure: what it changes, the row that says so, the reports that it closes, who may."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import connection

from moderation.actions import actions_on
from moderation.models import Kind, Measure, Report
from moderation.services import take
from statuses import services as statuses
from statuses.models import Status
from statuses.services import post_status
from tests.cast import browser_of, make_user
from tests.moderation.conftest import complain
from tests.races import in_threads
from users.models import User
from users.services import delete_account
from web.refusals import Refusal

WHY = "He sells pills."


def ready_for(kind: Kind, account: User, status: Status) -> None:
    """So that there is something to change."""
    if kind == Kind.RESTORE:
        User.objects.filter(pk=account.pk).update(is_active=False)
    if kind == Kind.UNSILENCE:
        User.objects.filter(pk=account.pk).update(is_silenced=True)
    if kind in (Kind.REMOVE_AVATAR, Kind.REMOVE_HEADER):
        User.objects.filter(pk=account.pk).update(avatar="a" * 20, header="b" * 20)
    if kind == Kind.UNMARK_SENSITIVE:
        Status.objects.filter(pk=status.pk).update(is_sensitive=True)


@pytest.mark.parametrize("kind", Kind)
def test_every_measure_leaves_a_row_and_closes_its_report(
    alice: User, dave: User, spam: Status, mod: User, kind: Kind
) -> None:
    report = complain(alice, spam)
    ready_for(kind, dave, spam)
    take(kind, report, by=mod, reason=WHY)
    measure = Measure.objects.get()
    assert (measure.kind, measure.reason, measure.report) == (kind, WHY, report)
    assert (measure.by, measure.by_username) == (mod, "mod_ann")
    assert (measure.account, measure.username) == (dave, "dave")
    report.refresh_from_db()
    assert (report.is_open, report.closed_with) == (False, measure)


@pytest.mark.parametrize("kind", [*actions_on(Status), *actions_on(User)])
def test_measures_need_no_report(dave: User, spam: Status, mod: User, kind: Kind) -> None:
    ready_for(kind, dave, spam)
    measure = take(kind, spam if kind in actions_on(Status) else dave, by=mod, reason=WHY)
    assert measure.report is None
    assert measure.status_id == (spam.pk if kind in actions_on(Status) else None)
    assert measure.evidence["username"] == "dave"


@pytest.mark.parametrize("kind", Kind)
def test_twice_is_refused_and_leaves_one_row(
    alice: User, dave: User, spam: Status, mod: User, kind: Kind
) -> None:
    report = complain(alice, spam)
    ready_for(kind, dave, spam)
    take(kind, report, by=mod, reason=WHY)
    if kind == Kind.WARN:
        return  # one can be warned twice
    report.refresh_from_db()
    with pytest.raises(Refusal):
        take(kind, report, by=mod, reason=WHY)
    assert Measure.objects.count() == 1


@pytest.mark.parametrize("kind", Kind)
def test_members_take_no_measures(
    alice: User, bob: User, dave: User, spam: Status, kind: Kind
) -> None:
    report = complain(alice, spam)
    ready_for(kind, dave, spam)
    before = list(User.objects.values()), list(Status.objects.values())
    with pytest.raises(Refusal, match="Only moderators"):
        take(kind, report, by=bob, reason=WHY)
    assert before == (list(User.objects.values()), list(Status.objects.values()))
    assert not Measure.objects.exists()
    assert Report.objects.get().is_open


@pytest.mark.parametrize("kind", Kind)
def test_only_superusers_decide_about_staff_and_nobody_about_themselves(
    alice: User, mod: User, boss: User, kind: Kind
) -> None:
    colleague = make_user("colleague", is_staff=True)
    for reported, by in ((colleague, mod), (boss, mod), (mod, mod), (boss, boss)):
        report = complain(alice, post_status(author=reported, text="oops"))
        with pytest.raises(Refusal, match="superusers decide"):
            take(kind, report, by=User.objects.get(pk=by.pk), reason=WHY)
    assert not Measure.objects.exists()
    assert Status.objects.count() == 4
    said = Status.objects.get(author=colleague)
    ready_for(kind, colleague, said)
    take(kind, Report.objects.get(account=colleague), by=boss, reason=WHY)
    assert Measure.objects.get().account == colleague


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("", "Say why"),
        ("  \n", "Say why"),
        ("x" * 1001, "at most 1000"),
        ("evil \u202e", "U\\+202E"),
    ],
)
@pytest.mark.parametrize("kind", [Kind.SUSPEND, Kind.WARN, Kind.DELETE_STATUS])
def test_a_measure_needs_a_proper_reason(
    alice: User, dave: User, spam: Status, mod: User, kind: Kind, reason: str, message: str
) -> None:
    report = complain(alice, spam)
    with pytest.raises(ValidationError, match=message):
        take(kind, report, by=mod, reason=reason)
    assert not Measure.objects.exists()
    dave.refresh_from_db()
    assert (dave.is_active, dave.unread_warnings, dave.statuses_count) == (True, 0, 1)


def test_a_report_is_dismissed_without_a_word(alice: User, spam: Status, mod: User) -> None:
    take(Kind.DISMISS, complain(alice, spam), by=mod)
    assert not Report.objects.get().is_open
    assert Status.objects.exists()


def test_others_about_the_same_thing_are_closed_on_request(
    alice: User, bob: User, carol: User, dave: User, spam: Status, mod: User
) -> None:
    other = post_status(author=dave, text="more spam")
    first, second = complain(alice, spam), complain(bob, spam)
    elsewhere, about_him = complain(alice, other), complain(alice, dave)
    take(Kind.MARK_SENSITIVE, first, by=mod, reason=WHY)
    assert open_reports() == {second.pk, elsewhere.pk, about_him.pk}
    take(Kind.WARN, second, by=mod, closes_others=True, reason=WHY)
    assert open_reports() == {elsewhere.pk, about_him.pk}
    complain(carol, dave)
    take(Kind.SUSPEND, dave, by=mod, closes_others=True, reason=WHY)
    assert open_reports() == {elsewhere.pk}
    first.refresh_from_db()
    assert first.closed_with is not None
    assert first.closed_with.kind == Kind.MARK_SENSITIVE, "what is closed stays as it is"


def open_reports() -> set[int]:
    return set(Report.objects.filter(is_open=True).values_list("pk", flat=True))


def test_a_closed_report_can_lead_to_more(alice: User, dave: User, spam: Status, mod: User) -> None:
    report = complain(alice, spam)
    take(Kind.DELETE_STATUS, report, by=mod, reason=WHY)
    report.refresh_from_db()
    take(Kind.WARN, report, by=mod, reason=WHY)
    assert [it.kind for it in report.measures.order_by("pk")] == ["delete_status", "warn"]
    assert report.closed_with is not None
    assert report.closed_with.kind == Kind.DELETE_STATUS
    with pytest.raises(Refusal, match="closed this report"):
        take(Kind.DISMISS, report, by=mod)


def test_reports_about_deleted_accounts_can_only_be_closed(
    alice: User, bob: User, dave: User, spam: Status, mod: User
) -> None:
    report, other = complain(alice, spam), complain(bob, dave)
    delete_account(user=dave)
    for kind in (*actions_on(Status), *actions_on(User)):
        with pytest.raises(Refusal):
            take(kind, Report.objects.get(pk=report.pk), by=mod, reason=WHY)
    take(Kind.DISMISS, Report.objects.get(pk=other.pk), by=mod, closes_others=True)
    assert open_reports() == {report.pk}, "they have nothing in common but that it is gone"


def test_accounts_that_go_meanwhile_are_noticed(
    alice: User, dave: User, spam: Status, mod: User
) -> None:
    report = complain(alice, spam)
    assert report.account == dave  # read now, and kept by the object
    delete_account(user=User.objects.get(pk=dave.pk))
    for kind in actions_on(User):
        with pytest.raises(Refusal):
            take(kind, report, by=mod, reason=WHY)
    take(Kind.DISMISS, report, by=mod)
    assert Measure.objects.get().account is None
    assert not Report.objects.get().is_open


def test_a_report_about_an_account_has_no_post_to_delete(
    alice: User, dave: User, spam: Status, mod: User
) -> None:
    report = complain(alice, dave)
    for kind in actions_on(Status):
        with pytest.raises(Refusal, match="no such post"):
            take(kind, report, by=mod, reason=WHY)
    assert Status.objects.exists()


def test_a_measure_keeps_what_was_deleted(alice: User, spam: Status, mod: User) -> None:
    take(Kind.DELETE_STATUS, spam, by=mod, reason=WHY)
    measure = Measure.objects.get()
    assert measure.status_id == spam.pk
    assert measure.evidence["text"] == "Buy #pills now"


def test_a_measure_keeps_the_last_words(dave: User, spam: Status, mod: User) -> None:
    seen = Status.objects.get(pk=spam.pk)
    statuses.edit_status(status=spam, by=dave, text="Buy more pills")
    take(Kind.DELETE_STATUS, seen, by=mod, reason=WHY)
    kept = Measure.objects.get().evidence
    assert (kept["text"], kept["versions"][0]["text"]) == ("Buy more pills", "Buy #pills now")


def test_a_measure_outlives_everybody(alice: User, dave: User, spam: Status, mod: User) -> None:
    take(Kind.WARN, complain(alice, spam), by=mod, reason=WHY)
    delete_account(user=dave)
    delete_account(user=mod)
    measure = Measure.objects.get()
    assert (measure.by, measure.account) == (None, None)
    assert (measure.by_username, measure.username) == ("mod_ann", "dave")


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """What each returned, or what it raised."""
    waiting = list(jobs)

    def run() -> Any:
        try:
            return waiting.pop()()
        except Refusal as error:
            return error.code
        finally:
            connection.close()

    return in_threads(len(jobs), run)


@pytest.mark.parametrize("kind", [Kind.SUSPEND, Kind.SILENCE, Kind.DELETE_STATUS, Kind.DISMISS])
def test_two_moderators_at_once_leave_one_row(
    alice: User, bob: User, dave: User, spam: Status, mod: User, boss: User, kind: Kind
) -> None:
    report = complain(alice, spam)
    moderators = [mod, boss, mod, boss]
    done = at_once([partial(take, kind, report, by=by, reason=WHY) for by in moderators])
    measure = Measure.objects.get()
    assert done.count(measure) == 1
    assert {it for it in done if it != measure} <= {"nothing", "gone"}
    assert Report.objects.get().closed_with == measure


def test_a_deletion_on_the_site_leaves_a_row_too(
    alice: User, bob: User, spam: Status, mod: User
) -> None:
    reports = [complain(alice, spam), complain(bob, spam)]
    assert browser_of(mod).post(f"/statuses/{spam.pk}/delete/").status_code == 302
    assert not Status.objects.exists()
    measure = Measure.objects.get()
    assert (measure.kind, measure.by, measure.reason) == (Kind.DELETE_STATUS, mod, "")
    assert measure.evidence["text"] == "Buy #pills now"
    assert set(measure.closes.all()) == set(reports)


def test_what_authors_delete_themselves_is_no_measure(
    alice: User, dave: User, spam: Status, mod: User
) -> None:
    report = complain(alice, spam)
    own = post_status(author=mod, text="oops")
    statuses.delete_status(status=spam, by=dave)
    statuses.delete_status(status=own, by=mod)
    assert not Measure.objects.exists()
    report.refresh_from_db()
    assert report.is_open, "there is still something to say about it"


def test_moderators_do_not_delete_what_staff_said(mod: User, boss: User) -> None:
    said = post_status(author=boss, text="I am the boss")
    answer = browser_of(mod).post(f"/statuses/{said.pk}/delete/")
    assert answer.status_code == 403
    assert "only superusers decide about staff" in answer.content.decode()
    assert Status.objects.exists()
    boss.refresh_from_db()
    assert boss.statuses_count == 1


def test_the_right_to_delete_alone_takes_no_other_measures(
    dave: User, spam: Status, carol: User
) -> None:
    carol.user_permissions.add(Permission.objects.get(codename="delete_status"))
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    carol = User.objects.get(pk=carol.pk)
    with pytest.raises(Refusal, match="Only moderators"):
        take(Kind.SUSPEND, dave, by=carol, reason=WHY)
    statuses.delete_status(status=spam, by=carol)
    assert Measure.objects.get().by == carol
