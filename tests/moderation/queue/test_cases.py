"""The page of a case: what it shows, who takes it, and what is decided there."""

from datetime import timedelta
from typing import Any, cast

import pytest
from django.contrib.auth.models import Permission
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from moderation.models import CannedAnswer, Case, Kind, Measure, Note, Report
from moderation.queue.claims import HELD_FOR, hold, take_over
from moderation.queue.deciding import CHOICES, choices_for, decide
from moderation.queue.selectors import next_case
from moderation.services import take
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from statuses.services import delete_status, edit_status, post_status
from tests.cast import browser_of, clicks, make_user
from tests.moderation.conftest import complain
from tests.notifications.reading import Told, told
from tests.races import in_threads
from tests.redis_keys import contents_of, keys_of_the_test
from users.audience import Visibility
from users.models import User
from users.services import suspend
from web.refusals import Refusal

WHY = "Rule 2: no pills."


@pytest.fixture
def second(transactional_db: None) -> User:
    second = make_user("mod_bea", name="Bea")
    give_role(user=second, role=Role.MODERATOR)
    return User.objects.get(pk=second.pk)


@pytest.fixture
def report(alice: User, spam: Status) -> Report:
    return complain(alice, spam, words="He sells pills.")


def address_of(report: Report | None, way: str = "") -> str:
    return f"/moderation/cases/{report.pk if report else 4711}/{way}"


def form(choice: str, *, seen: int | str = 0, reason: str = WHY) -> dict[str, Any]:
    return {"choice": choice, "reason": reason, "seen": seen}


def open_case(who: User, report: Report) -> str:
    """Without the queue beside it."""
    page = browser_of(who).get(address_of(report)).content.decode()
    return page.partition("<main")[2]


def decided(who: User, report: Report, choice: str, **more: Any) -> HttpResponse:
    answer = browser_of(who).post(address_of(report), form(choice, **more))
    return cast("HttpResponse", answer)


def held_by(report: Report) -> User | None:
    case = Case.objects.select_related("held_by").get(pk=report.case_id or 0)
    return case.held_by if case.is_held() else None


def test_a_case_shows_what_was_said_and_what_it_is_about(
    alice: User, bob: User, dave: User, mod: User, second: User
) -> None:
    asked = post_status(author=alice, text="Who is in for a swim?")
    rude = post_status(author=dave, text="I know where you live", reply_to=asked.pk)
    post_status(author=alice, text="Leave me alone", reply_to=rude.pk)
    take(Kind.WARN, dave, by=second, reason="the last time")
    report = complain(alice, rude, category="abuse", words="I am afraid")
    complain(bob, rude)
    page = open_case(mod, report)
    for words in (
        *("I am afraid", "@alice", "1 more without words", "I know where you live"),
        *("Who is in for a swim?", "Leave me alone", "It is still the same."),
        *("Warned", "the last time", "@mod_bea", "Spoken to", "Abuse or harassment"),
        *("Made 1 report", "Reported 2 times", f"Report {report.pk}"),
    ):
        assert words in page, words
    assert page.index("Who is in") < page.index("I know where") < page.index("Leave me alone")


def test_it_shows_what_was_reported_and_what_became_of_it(
    report: Report, spam: Status, dave: User, mod: User
) -> None:
    edit_status(status=spam, by=dave, text="Buy tea")
    page = open_case(mod, report)
    assert "It was changed since." in page
    assert page.index("Buy tea") < page.index("Buy #pills now")
    delete_status(status=spam, by=dave)
    page = open_case(mod, report)
    assert "The post is deleted." in page
    assert "Buy #pills now" in page
    assert 'value="delete"' not in page


def test_the_thread_has_only_what_moderators_may_read(
    alice: User, bob: User, dave: User, mod: User, boss: User
) -> None:
    asked = post_status(author=alice, text="@dave @bob zanzibar", visibility=Visibility.MENTIONED)
    rude = post_status(
        author=dave, text="@alice @bob rude", visibility=Visibility.MENTIONED, reply_to=asked.pk
    )
    post_status(
        author=bob, text="@dave timbuktu", visibility=Visibility.MENTIONED, reply_to=rude.pk
    )
    report = complain(alice, rude)
    page = open_case(mod, report)
    assert "rude" in page
    assert "zanzibar" not in page
    assert "timbuktu" not in page
    assert "zanzibar" in open_case(boss, report)


def test_any_report_of_a_case_leads_to_it(
    report: Report, bob: User, spam: Status, mod: User
) -> None:
    later = complain(bob, spam)
    answer = browser_of(mod).get(address_of(later))
    assert answer["Location"] == address_of(report)
    assert browser_of(mod).get(address_of(None)).status_code == 404


def test_opening_a_case_takes_it_for_a_while(report: Report, mod: User, second: User) -> None:
    assert "Let go" in open_case(mod, report)
    assert held_by(report) == mod
    page = open_case(second, report)
    assert "mod_ann holds this case until" in page
    assert 'name="choice"' not in page
    assert "Take it over" not in page
    assert held_by(report) == mod
    answer = decided(second, report, "dismiss")
    assert answer.status_code == 409
    assert "mod_ann is working on this case." in answer.content.decode()
    assert not Measure.objects.exists()


def test_a_case_is_let_go_or_free_when_the_time_is_over(
    report: Report, mod: User, second: User
) -> None:
    open_case(mod, report)
    assert browser_of(second).post(address_of(report, "let-go/")).status_code == 302
    assert held_by(report) == mod, "nobody lets go what another holds"
    browser_of(mod).post(address_of(report, "let-go/"))
    assert held_by(report) is None
    open_case(mod, report)
    Case.objects.update(held_until=timezone.now())
    assert 'name="choice"' in open_case(second, report)
    assert held_by(report) == second
    assert decided(mod, report, "dismiss").status_code == 409


def test_work_renews_the_lease(report: Report, mod: User) -> None:
    soon = timezone.now() + timedelta(minutes=1)
    for way, fields in (("", form("warn", reason="")), ("notes/", {"text": "hm"})):
        open_case(mod, report)
        Case.objects.update(held_until=soon)
        browser_of(mod).post(address_of(report, way), fields)
        assert Case.objects.get().held_until > soon + HELD_FOR / 2  # type: ignore[operator] # it is held


def test_administrators_take_a_case_over(
    report: Report, mod: User, second: User, boss: User
) -> None:
    open_case(mod, report)
    refused = browser_of(second).post(address_of(report, "take-over/"))
    assert refused.status_code == 409
    assert "Take it over" in open_case(boss, report)
    browser_of(boss).post(address_of(report, "take-over/"))
    assert held_by(report) == boss
    assert decided(mod, report, "dismiss").status_code == 409
    with pytest.raises(Refusal):
        take_over(Case.objects.get(), by=mod)


def test_of_two_at_once_one_takes_it(report: Report, mod: User, second: User) -> None:
    case, waiting = Case.objects.get(), [mod, second] * 3
    assert sum(in_threads(6, lambda: hold(case, by=waiting.pop()))) == 3
    assert held_by(report) in (mod, second)


def test_of_two_who_decide_at_once_one_does(
    report: Report, mod: User, second: User, dave: User
) -> None:
    """Also where neither holds it, as after the lease has ended."""
    browsers = [browser_of(mod), browser_of(second)]
    codes = clicks(browsers, address_of(report), form("warn"))
    assert sorted(codes) == [302, 409]
    assert Measure.objects.count() == 1
    dave.refresh_from_db()
    assert dave.unread_warnings == 1


def test_a_double_click_decides_once(report: Report, mod: User) -> None:
    codes = clicks([browser_of(mod) for _ in range(3)], address_of(report), form("silence"))
    assert sorted(codes) == [302, 409, 409]
    assert Measure.objects.count() == 1


@pytest.mark.parametrize("choice", CHOICES)
def test_every_choice_does_what_it_says(
    report: Report, bob: User, spam: Status, dave: User, mod: User, choice: str
) -> None:
    complain(bob, spam)
    answer = decided(mod, report, choice)
    assert answer.status_code == 302, answer.content.decode()
    measures = list(Measure.objects.order_by("pk"))
    assert [it.kind for it in measures] == [*CHOICES[choice].kinds]
    assert all((it.by, it.reason, it.report) == (mod, WHY, report) for it in measures)
    assert {it.is_told for it in measures} == {CHOICES[choice].is_told}
    assert not Report.objects.filter(is_open=True).exists()
    assert not Case.objects.get().is_open
    dave.refresh_from_db()
    assert dave.is_active is (choice != "suspend")
    assert dave.is_silenced is (choice == "silence")
    assert dave.unread_warnings == (choice in ("warn", "delete_and_warn"))
    assert Status.objects.filter(pk=spam.pk).exists() is not choice.startswith("delete")


def test_deleting_and_warning_happen_together_or_not_at_all(
    report: Report, spam: Status, dave: User, mod: User, boss: User
) -> None:
    case = Case.objects.get()
    delete_status(status=spam, by=dave)
    with pytest.raises(Refusal):
        decide(case=case, choice="delete_and_warn", by=mod, reason=WHY, seen=0)
    assert not Measure.objects.exists()
    dave.refresh_from_db()
    assert dave.unread_warnings == 0


def test_the_next_case_comes_after_a_decision(
    report: Report, bob: User, carol: User, dave: User, mod: User, second: User
) -> None:
    held, free = complain(bob, dave, category="harm"), complain(carol, make_user("eve"))
    open_case(second, held)
    assert decided(mod, report, "dismiss")["Location"] == address_of(free)
    page = open_case(mod, free)
    assert (
        "Closed without a measure: @dave" in browser_of(mod).get("/moderation/").content.decode()
        or page
    )
    assert decided(mod, free, "dismiss")["Location"] == "/moderation/"


def test_the_next_case_is_one_that_they_may_decide(
    report: Report, bob: User, carol: User, second: User, mod: User, boss: User
) -> None:
    about_staff = complain(bob, second, category="harm")
    about_boss = complain(bob, boss, category="harm")
    free = complain(carol, make_user("eve"))
    gone = complain(carol, make_user("fay"))
    User.objects.get(username="fay").delete()
    assert decided(mod, report, "dismiss")["Location"] == address_of(free)
    assert decided(mod, free, "dismiss")["Location"] == address_of(gone)
    assert decided(mod, gone, "dismiss")["Location"] == "/moderation/"
    assert next_case(boss) == about_staff.case != about_boss.case


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "This field is required."),
        ({"choice": "explode", "seen": "0"}, "Select a valid choice."),
        ({"reason": ""}, "Say why."),
        ({"reason": "x" * 1001}, "at most 1000 characters"),
        ({"reason": "evil \u202e"}, "U+202E"),
        ({"reason": "nul \x00"}, "Null characters"),
        ({"seen": ""}, "Somebody has taken a measure here meanwhile."),
        ({"seen": "9" * 40}, "Somebody has taken a measure here meanwhile."),
        ({"seen": "1"}, "Somebody has taken a measure here meanwhile."),
    ],
)
def test_what_is_wrong_is_said_in_place(
    report: Report, mod: User, fields: dict[str, str], message: str
) -> None:
    given = form("warn") | fields if fields else {}
    answer = browser_of(mod).post(address_of(report), given)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert 'name="seen" value="0"' in answer.content.decode()
    assert not Measure.objects.exists()
    assert held_by(report) == mod


def test_canned_answers_are_in_the_language_of_their_reader(
    report: Report, dave: User, mod: User
) -> None:
    assert "Please don&#x27;t post the same thing" in open_case(mod, report)
    User.objects.filter(pk=dave.pk).update(language="zh-hans")
    page = open_case(mod, report)
    assert "Please don&#x27;t post the same thing" not in page
    assert 'lang="zh-hans"' in page
    CannedAnswer.objects.create(
        measure="warn", language="zh-hans", title="药", words="这里不卖药。"
    )
    page = open_case(mod, report)
    assert page.count("这里不卖药。") == 1
    answer = browser_of(mod).post(address_of(report), {"choice": "warn", "canned": "0"})
    assert answer.status_code == 200
    assert ">这里不卖药。</textarea>" in answer.content.decode()
    for number in ("x", "-1", "999", "9" * 30):
        fields = {"choice": "warn", "canned": number, "reason": "mine"}
        answer = browser_of(mod).post(address_of(report), fields)
        assert ">mine</textarea>" in answer.content.decode()
    assert not Measure.objects.exists()


def test_nothing_is_offered_that_would_change_nothing(spam: Status, dave: User, mod: User) -> None:
    assert choices_for(dave, spam) == [*CHOICES]
    suspend(user=dave)
    User.objects.filter(pk=dave.pk).update(is_silenced=True)
    Status.objects.filter(pk=spam.pk).update(is_sensitive=True)
    dave.refresh_from_db()
    spam.refresh_from_db()
    assert choices_for(dave, spam) == ["dismiss", "warn", "delete", "delete_and_warn"]
    assert choices_for(None, None) == ["dismiss"]


def test_only_administrators_decide_about_staff(
    alice: User, second: User, mod: User, boss: User
) -> None:
    report = complain(alice, second)
    page = open_case(mod, report)
    assert "Only administrators decide about members of the staff." in page
    assert 'name="choice"' not in page
    assert held_by(report) is None
    assert decided(mod, report, "suspend").status_code in (400, 403)
    assert browser_of(mod).post(address_of(report, "take-over/")).status_code == 403
    assert browser_of(mod).post(address_of(report, "notes/"), {"text": "x"}).status_code == 403
    assert not Measure.objects.exists()
    assert decided(boss, report, "warn").status_code == 302


def test_who_may_only_look_finds_no_buttons(report: Report, alice: User) -> None:
    onlooker = make_user("onlooker", is_staff=True)
    onlooker.user_permissions.set(Permission.objects.filter(codename="view_report"))
    page = open_case(onlooker, report)
    assert "Buy #pills now" in page
    assert "You may look, but not decide." in page
    for button in ('name="choice"', "Let go", 'name="text"'):
        assert button not in page
    assert held_by(report) is None
    browser = browser_of(onlooker)
    assert browser.post(address_of(report), form("warn")).status_code in (400, 403)
    assert browser.post(address_of(report, "take-over/")).status_code == 403
    assert browser.post(address_of(report, "notes/"), {"text": "x"}).status_code == 403
    assert not Measure.objects.exists()
    assert not Note.objects.exists()


def test_members_and_visitors_do_not_enter(report: Report, dave: User, alice: User) -> None:
    clerk = make_user("clerk", is_staff=True)
    addresses = ["/moderation/", "/moderation/appeals/", "/moderation/appeals/1/"]
    addresses += [address_of(report, it) for it in ("", "let-go/", "take-over/", "notes/")]
    for address in addresses:
        for who in (dave, alice, clerk):
            for ask in (browser_of(who).get, browser_of(who).post):
                answer = ask(address)
                assert answer.status_code in (404, 405), address
                assert "He sells pills." not in answer.content.decode()
        for ask in (Client().get, Client().post):
            answer = ask(address)
            assert answer.status_code in (302, 405), address
            if answer.status_code == 302:
                assert answer["Location"].startswith("/login/?next=/moderation/")
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(make_user("boss2", is_staff=True, is_superuser=True))
    assert forger.post(address_of(report), form("warn")).status_code == 403
    assert not Measure.objects.exists()


def test_notes_are_for_moderators_alone(
    report: Report, dave: User, mod: User, second: User, alice: User
) -> None:
    secret = "Same words as the account of May.\n<b>Watch</b>"
    answer = browser_of(mod).post(address_of(report, "notes/"), {"text": secret})
    assert answer["Location"] == address_of(report) + "#notes"
    page = open_case(second, report)
    assert "account of May.<br>&lt;b&gt;Watch" in page
    assert "@mod_ann" in page
    about_him = complain(alice, dave)
    assert "account of May" in open_case(mod, about_him), "notes belong to the account"
    for who in (dave, alice):
        for address in ("/", "/@dave/", f"/reports/{report.pk}/", "/notifications/"):
            assert "account of May" not in browser_of(who).get(address).content.decode()
    assert "account of May" not in str(contents_of(keys_of_the_test("*")))


@pytest.mark.parametrize("text", ["", "  ", "x" * 1001, "evil \u202e", "nul \x00"])
def test_bad_notes_are_refused(report: Report, mod: User, text: str) -> None:
    answer = browser_of(mod).post(address_of(report, "notes/"), {"text": text})
    assert answer.status_code == 400
    assert not Note.objects.exists()


def test_reporters_learn_no_more_than_before(
    report: Report, alice: User, mod: User, dave: User
) -> None:
    open_case(mod, report)
    browser_of(mod).post(address_of(report, "notes/"), {"text": "SECRET"})
    decided(mod, report, "suspend", reason="SECRET")
    assert told(alice) == [Told("report", [])]
    page = browser_of(alice).get(f"/reports/{report.pk}/").content.decode()
    for word in ("SECRET", "uspended", "mod_ann"):
        assert word not in page


def test_a_chinese_moderator_reads_chinese(report: Report, mod: User) -> None:
    User.objects.filter(pk=mod.pk).update(language="zh-hans")
    mod.refresh_from_db()
    page = open_case(mod, report)
    for words in ("What to do", "Nothing wrong", "Notes", "Let go", "due in"):
        assert words not in page, words


def test_while_redis_is_away_the_queue_is_read_and_decided(
    report: Report, mod: User, settings: Settings
) -> None:
    browser = browser_of(mod)
    browser.get("/moderation/")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert browser.get("/moderation/").status_code == 200
    assert browser.get(address_of(report)).status_code == 200
    assert browser.post(address_of(report), form("dismiss")).status_code == 302
    assert not Case.objects.get().is_open
