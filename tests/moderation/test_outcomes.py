"""What members get to know of their reports."""

from django.db import transaction
from django.db.models import Q
from django.test import Client

from moderation.models import Kind, Report
from moderation.outcomes import close_reports
from moderation.services import take
from notifications.models import Notification
from notifications.services import choose_kinds
from relations.blocks_and_mutes.services import block
from statuses.models import Status
from statuses.services import delete_status
from tests.cast import browser_of
from tests.moderation.conftest import complain
from tests.notifications.reading import Told, assert_sound, told, unread
from users.models import User
from users.services import delete_account

DECIDED = Told("report", [])


def page_of(browser: Client, report: Report) -> str:
    answer = browser.get(f"/reports/{report.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_reporter_is_told_when_moderators_have_decided(
    alice: User, mod: User, spam: Status
) -> None:
    report = complain(alice, spam, words="He sells pills.")
    assert told(alice) == []
    assert "Moderators have not decided yet" in page_of(browser_of(alice), report)
    take(Kind.WARN, report, by=mod, reason="No pills, please.")
    assert told(alice) == [DECIDED]
    assert unread(alice) == 1
    assert_sound()
    hers = browser_of(alice)
    list_ = hers.get("/notifications/").content.decode()
    assert f'Moderators have decided about <a href="/reports/{report.pk}/">your report</a>' in list_
    page = page_of(hers, report)
    assert "Moderators have acted on it" in page
    assert "A post by @dave" in page
    assert "He sells pills." in page


def test_what_moderators_did_and_who_stays_with_them(alice: User, mod: User, spam: Status) -> None:
    report = complain(alice, spam)
    reason = "SECRET: a repeated offence"
    take(Kind.SUSPEND, report, by=mod, reason=reason)
    told(alice)
    hers = browser_of(alice)
    for page in (page_of(hers, report), hers.get("/notifications/").content.decode()):
        assert "SECRET" not in page
        assert "uspended" not in page
        assert "mod_ann" not in page


def test_a_report_that_is_closed_without_a_measure_says_so(
    alice: User, mod: User, dave: User
) -> None:
    report = complain(alice, dave)
    take(Kind.DISMISS, report, by=mod, reason="Nothing to see.")
    assert told(alice) == [DECIDED]
    page = page_of(browser_of(alice), report)
    assert "Moderators saw no need to act" in page
    assert "The account @dave" in page
    assert "Nothing to see." not in page


def test_everybody_who_reported_it_is_told_once(
    alice: User, carol: User, mod: User, spam: Status
) -> None:
    reports = [complain(who, spam) for who in (alice, carol)]
    take(Kind.DELETE_STATUS, reports[0], by=mod, reason="Spam.", closes_others=True)
    for who in (alice, carol):
        assert told(who) == [DECIDED]
    with transaction.atomic():
        close_reports(Q(pk__in=[it.pk for it in reports]), reports[0].measures.get())
    assert unread(alice) == 1
    assert_sound()


def test_a_deletion_on_the_site_is_told_too(alice: User, mod: User, spam: Status) -> None:
    complain(alice, spam)
    delete_status(status=spam, by=mod)
    assert told(alice) == [DECIDED]


def test_only_the_reporter_reads_about_it(
    alice: User, carol: User, dave: User, mod: User, spam: Status, client: Client
) -> None:
    report = complain(alice, spam)
    for other in (carol, dave, mod):
        assert browser_of(other).get(f"/reports/{report.pk}/").status_code == 404
    assert client.get(f"/reports/{report.pk}/").status_code == 302
    take(Kind.SILENCE, report, by=mod, reason="Spam.")
    assert told(dave) == []
    assert told(mod) == []


def test_who_decides_about_their_own_report_is_not_told(mod: User, dave: User) -> None:
    report = complain(mod, dave)
    take(Kind.DISMISS, report, by=mod)
    assert told(mod) == []
    assert not Notification.objects.exists()


def test_a_reporter_can_switch_it_off(alice: User, mod: User, dave: User) -> None:
    page = browser_of(alice).get("/settings/notifications/").content.decode()
    assert "Moderators decide about my report" in page
    choose_kinds(user=alice, wanted=["like"])
    take(Kind.DISMISS, complain(alice, dave), by=mod)
    assert told(alice) == []


def test_a_reporter_who_left_is_no_obstacle(alice: User, mod: User, dave: User) -> None:
    report = complain(alice, dave)
    delete_account(user=alice)
    take(Kind.DISMISS, Report.objects.get(pk=report.pk), by=mod)
    assert not Notification.objects.exists()


def test_after_a_report_one_can_mute_or_block(alice: User, dave: User) -> None:
    hers = browser_of(alice)
    sent = hers.post("/@dave/report/", {"category": "spam", "next": "/explore/"})["Location"]
    page = hers.get(sent).content.decode()
    assert 'formaction="/@dave/mute/"' in page
    assert 'formaction="/@dave/block/"' in page
    assert hers.post("/@dave/mute/", {"next": "/explore/"}).status_code == 302
    page = hers.get(sent).content.decode()
    assert 'formaction="/@dave/mute/"' not in page
    assert 'formaction="/@dave/block/"' in page
    block(blocker=alice, blocked=dave)
    assert "formaction" not in hers.get(sent).content.decode()


def test_nothing_is_offered_about_accounts_out_of_reach(alice: User, dave: User) -> None:
    hers = browser_of(alice)
    block(blocker=dave, blocked=alice)
    for name in ("dave", "alice", "nobody_", "", "%00"):
        answer = hers.get(f"/reports/sent/?account={name}")
        assert answer.status_code == 200
        assert "formaction" not in answer.content.decode()
