"""A second look: who may ask for it, who gives it, and what they are told."""

import re
from datetime import timedelta
from typing import Any, cast

import pytest
from django.core import signing
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from moderation.appeals import services
from moderation.appeals.suspended import LIFE_SECONDS, SALT
from moderation.models import AccountWarning, Appeal, Kind, Measure
from moderation.services import take
from notifications.services import choose_kinds
from staff.roles import Role
from staff.services import give_role, take_role
from statuses.models import Status
from statuses.services import delete_status, post_status
from tests.cast import browser_of, clicks, make_user
from tests.moderation.conftest import complain
from tests.notifications.reading import Told, assert_sound, told
from tests.redis_keys import contents_of, keys_of_the_test
from users.audience import Visibility
from users.export.register import parts
from users.models import User
from users.services import delete_account
from web.refusals import Refusal

PASSWORD = "seven green bottles"
DELETED, ANSWERED = Told("measure", []), Told("appeal", [])
PLEA = "It was about candy."


@pytest.fixture
def second(transactional_db: None) -> User:
    second = make_user("mod_bea", name="Bea")
    give_role(user=second, role=Role.MODERATOR)
    return User.objects.get(pk=second.pk)


@pytest.fixture
def deletion(alice: User, spam: Status, mod: User) -> Measure:
    return take(Kind.DELETE_STATUS, complain(alice, spam), by=mod, reason="No pills.")


def page_of(who: User, measure: Measure) -> str:
    answer = browser_of(who).get(f"/measures/{measure.pk}/")
    assert answer.status_code == 200
    return answer.content.decode()


def appealed(measure: Measure, account: User) -> Appeal:
    return services.appeal(measure=measure, account=account, words=PLEA)


def answered(who: User, appeal: Appeal, decision: str, words: str = "We looked.") -> HttpResponse:
    form = {"decision": decision, "answer": words}
    answer = browser_of(who).post(f"/moderation/appeals/{appeal.pk}/", form)
    return cast("HttpResponse", answer)


def test_the_author_of_a_deleted_post_is_told_and_appeals(
    deletion: Measure, dave: User, mod: User, alice: User
) -> None:
    assert told(dave) == [DELETED]
    assert_sound()
    his = browser_of(dave)
    notice = his.get("/notifications/").content.decode()
    assert f'Moderators have deleted <a href="/measures/{deletion.pk}/">a post of yours' in notice
    page = page_of(dave, deletion)
    for words in ("No pills.", "Buy #pills now", "Send the appeal"):
        assert words in page
    for secret in ("mod_ann", "@alice"):
        assert secret not in page + notice
    answer = his.post(f"/measures/{deletion.pk}/", {"words": PLEA})
    assert answer["Location"] == f"/measures/{deletion.pk}/"
    page = page_of(dave, deletion)
    assert "It waits for an answer." in page
    assert PLEA in page
    assert "Send the appeal" not in page


def test_a_deletion_without_a_reason_is_told_too(spam: Status, dave: User, mod: User) -> None:
    delete_status(status=spam, by=mod)
    assert told(dave) == [DELETED]
    assert "They say why" not in page_of(dave, Measure.objects.get())


def test_who_deletes_their_own_post_is_not_told(spam: Status, dave: User) -> None:
    delete_status(status=spam, by=dave)
    assert told(dave) == []


def test_nobody_can_choose_not_to_be_told(dave: User, spam: Status, mod: User) -> None:
    choose_kinds(user=dave, wanted=[])
    page = browser_of(dave).get("/settings/notifications/").content.decode()
    assert 'value="measure"' not in page
    take(Kind.DELETE_STATUS, spam, by=mod, reason="No.")
    assert told(dave) == [DELETED]


def test_a_warning_leads_to_an_appeal(dave: User, mod: User, second: User) -> None:
    measure = take(Kind.WARN, dave, by=mod, reason="Stop it.")
    assert f'href="/measures/{measure.pk}/"' in browser_of(dave).get("/").content.decode()
    assert "Stop it." in page_of(dave, measure)
    appeal = appealed(measure, dave)
    assert answered(second, appeal, "accept").status_code == 302
    dave.refresh_from_db()
    assert dave.unread_warnings == 0
    assert AccountWarning.objects.get().acknowledged_at is not None
    assert ANSWERED in told(dave)


@pytest.mark.parametrize("kind", [Kind.SILENCE, Kind.MARK_SENSITIVE])
def test_what_nobody_is_told_of_is_not_found(
    kind: Kind, dave: User, spam: Status, mod: User
) -> None:
    measure = take(kind, dave if kind == Kind.SILENCE else spam, by=mod, reason="Hm.")
    assert browser_of(dave).get(f"/measures/{measure.pk}/").status_code == 404
    assert browser_of(dave).get(f"/measures/{measure.pk + 1}/").status_code == 404
    with pytest.raises(Refusal):
        appealed(measure, dave)


def test_only_the_account_concerned_appeals(
    deletion: Measure, alice: User, mod: User, client: Client
) -> None:
    for who in (alice, mod):
        for ask in (browser_of(who).get, browser_of(who).post):
            assert ask(f"/measures/{deletion.pk}/", {"words": "x"}).status_code == 404
        with pytest.raises(Refusal):
            appealed(deletion, who)
    assert client.get(f"/measures/{deletion.pk}/")["Location"].startswith("/login/")
    assert not Appeal.objects.exists()


def test_one_appeals_once_and_in_time(deletion: Measure, dave: User) -> None:
    codes = clicks(
        [browser_of(dave) for _ in range(3)], f"/measures/{deletion.pk}/", {"words": "x"}
    )
    assert sorted(codes) == [302, 403, 403]
    Appeal.objects.all().delete()
    late = timezone.now() - services.APPEALED_WITHIN - timedelta(minutes=1)
    Measure.objects.update(created_at=late)
    assert "The time to appeal is over." in page_of(dave, deletion)
    answer = browser_of(dave).post(f"/measures/{deletion.pk}/", {"words": "x"})
    assert answer.status_code == 403
    assert not Appeal.objects.exists()


@pytest.mark.parametrize("words", ["", " \n", "x" * 1001, "evil \u202e", "nul \x00"])
def test_bad_words_are_refused(deletion: Measure, dave: User, words: str) -> None:
    answer = browser_of(dave).post(f"/measures/{deletion.pk}/", {"words": words})
    assert answer.status_code == 400
    assert not Appeal.objects.exists()


def test_somebody_else_answers(
    deletion: Measure, dave: User, mod: User, second: User, boss: User
) -> None:
    appeal = appealed(deletion, dave)
    page = browser_of(mod).get(f"/moderation/appeals/{appeal.pk}/").content.decode()
    assert "You took this measure: somebody else answers the appeal." in page
    assert 'name="decision"' not in page
    assert answered(mod, appeal, "refuse").status_code == 403
    page = browser_of(second).get("/moderation/appeals/").content.decode()
    assert PLEA in page
    page = browser_of(second).get(f"/moderation/appeals/{appeal.pk}/").content.decode()
    for words in (PLEA, "No pills.", "Buy #pills now", "@mod_ann"):
        assert words in page
    assert answered(second, appeal, "refuse", "Pills are pills.")["Location"].endswith("/appeals/")
    assert told(dave) == [ANSWERED, DELETED]
    assert_sound()
    page = page_of(dave, deletion)
    assert "It was refused." in page
    assert "Pills are pills." in page
    assert "mod_bea" not in page
    assert answered(boss, appeal, "accept").status_code == 409


def test_an_administrator_who_is_alone_answers_about_their_own_measure(
    dave: User, mod: User, boss: User
) -> None:
    measure = take(Kind.WARN, dave, by=boss, reason="Stop it.")
    appeal = appealed(measure, dave)
    assert answered(boss, appeal, "accept").status_code == 403
    take_role(user=mod, role=Role.MODERATOR)
    assert answered(boss, appeal, "accept").status_code == 302


def test_the_next_appeal_is_one_that_they_may_answer(
    deletion: Measure, dave: User, mod: User, second: User, alice: User, bob: User
) -> None:
    own = take(Kind.WARN, alice, by=second, reason="No.")
    others = take(Kind.WARN, bob, by=mod, reason="No.")
    first, _, third = (appealed(it, it.account or dave) for it in (deletion, own, others))
    address = "/moderation/appeals/"
    assert answered(second, first, "refuse")["Location"] == f"{address}{third.pk}/"
    assert answered(second, third, "refuse")["Location"] == address


def test_about_staff_only_other_administrators_could_answer(
    mod: User, second: User, boss: User
) -> None:
    appeal = appealed(take(Kind.WARN, mod, by=boss, reason="You too."), mod)
    other = make_user("boss_too", is_staff=True, is_superuser=True)
    assert answered(second, appeal, "accept").status_code == 403
    assert answered(boss, appeal, "accept").status_code == 403
    delete_account(user=other)
    assert answered(boss, appeal, "accept").status_code == 302


def test_a_deleted_post_does_not_come_back_and_they_are_told_so(
    deletion: Measure, dave: User, second: User
) -> None:
    assert answered(second, appealed(deletion, dave), "accept", "").status_code == 302
    assert "a deleted post can't come back" in page_of(dave, deletion)
    assert not Status.objects.exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "This field is required."),
        ({"decision": "maybe"}, "Select a valid choice."),
        ({"decision": "refuse", "answer": " "}, "Say why."),
        ({"decision": "refuse", "answer": "x" * 1001}, "at most 1000 characters"),
        ({"decision": "accept", "answer": "evil \u202e"}, "U+202E"),
    ],
)
def test_bad_answers_are_refused(
    deletion: Measure, dave: User, second: User, fields: dict[str, str], message: str
) -> None:
    appeal = appealed(deletion, dave)
    answer = browser_of(second).post(f"/moderation/appeals/{appeal.pk}/", fields)
    assert answer.status_code == 400
    assert message in answer.content.decode()
    appeal.refresh_from_db()
    assert appeal.is_open


def test_two_answers_at_once_leave_one(deletion: Measure, dave: User, second: User) -> None:
    appeal = appealed(deletion, dave)
    browsers = [browser_of(second) for _ in range(3)]
    form = {"decision": "refuse", "answer": "No."}
    codes = clicks(browsers, f"/moderation/appeals/{appeal.pk}/", form)
    assert sorted(codes) == [302, 409, 409]


def test_moderators_see_neither_their_own_appeals_nor_read_hidden_posts(
    mod: User, second: User, boss: User, dave: User
) -> None:
    own = appealed(take(Kind.WARN, mod, by=boss, reason="You too."), mod)
    assert browser_of(mod).get(f"/moderation/appeals/{own.pk}/").status_code == 404
    assert PLEA not in browser_of(mod).get("/moderation/appeals/").content.decode()
    assert answered(second, own, "accept").status_code == 403, "only administrators, about staff"
    hidden = post_status(author=dave, text="zanzibar", visibility=Visibility.FOLLOWERS)
    appeal = appealed(take(Kind.DELETE_STATUS, hidden, by=boss, reason="A court."), dave)
    page = browser_of(second).get(f"/moderation/appeals/{appeal.pk}/").content.decode()
    assert "zanzibar" not in page
    assert "Only administrators can read the post" in page
    assert "zanzibar" in browser_of(boss).get(f"/moderation/appeals/{appeal.pk}/").content.decode()


def test_appeals_are_exported_and_never_in_redis(
    deletion: Measure, dave: User, second: User
) -> None:
    answered(second, appealed(deletion, dave), "refuse", "Pills are pills.")
    [part] = [it for it in parts() if it.name == "appeals"]
    [row] = part.rows(dave)
    assert (row["words"], row["answer"], row["is_accepted"]) == (PLEA, "Pills are pills.", False)
    held = str(contents_of(keys_of_the_test("*")))
    assert PLEA not in held
    assert "Pills are pills." not in held
    delete_account(user=dave)
    assert not Appeal.objects.exists()


# Suspended members


@pytest.fixture
def suspension(dave: User, mod: User) -> Measure:
    dave.set_password(PASSWORD)
    dave.save()
    return take(Kind.SUSPEND, dave, by=mod, reason="You sold pills.")


def log_in(browser: Client | None = None, password: str = PASSWORD) -> str:
    form = {"username": "dave", "password": password}
    answer: Any = (browser or Client()).post("/login/", form, REMOTE_ADDR="192.0.2.1")
    page: str = answer.content.decode()
    return page


def token_in(page: str) -> str:
    found = re.search('name="token" value="([^"]+)"', page)
    return found[1] if found else ""


def send(token: str, words: str = PLEA, browser: Client | None = None) -> HttpResponse:
    form = {"token": token, "words": words}
    return cast("HttpResponse", (browser or Client()).post("/appeals/suspended/", form))


def test_a_suspended_member_appeals_where_they_read_why(
    suspension: Measure, dave: User, second: User
) -> None:
    token = token_in(log_in())
    answer = send(token)
    assert answer.status_code == 200
    assert "Your appeal was sent." in answer.content.decode()
    assert "sessionid" not in answer.cookies
    assert "It waits for an answer." in log_in()
    assert token_in(log_in()) == ""
    appeal = Appeal.objects.get(measure=suspension, account=dave)
    answered(second, appeal, "refuse", "Pills are pills.")
    page = log_in()
    assert "It was refused." in page
    assert "Pills are pills." in page
    assert send(token).status_code == 403


def test_an_accepted_appeal_restores_the_account(
    suspension: Measure, dave: User, second: User
) -> None:
    send(token_in(log_in()))
    assert answered(second, Appeal.objects.get(), "accept", "Sorry.").status_code == 302
    dave.refresh_from_db()
    assert dave.is_active
    assert Measure.objects.filter(kind=Kind.RESTORE, by=second).exists()
    assert told(dave) == [ANSWERED]
    assert "We are sorry" in page_of(dave, suspension)


def test_only_the_right_password_gives_the_form(suspension: Measure) -> None:
    assert token_in(log_in(password="wrong")) == ""


def test_the_token_is_good_for_nothing_else(
    suspension: Measure, dave: User, alice: User, mod: User
) -> None:
    token = token_in(log_in())
    other = take(Kind.WARN, alice, by=mod, reason="Hm.")
    for forged in (
        *("", "x", token[:-1], token + "x", "\x00"),
        signing.dumps([dave.pk, suspension.pk]),
        signing.dumps([alice.pk, other.pk], salt=SALT),
        signing.dumps([dave.pk, other.pk], salt=SALT),
        signing.dumps([4711, suspension.pk], salt=SALT),
    ):
        assert send(forged).status_code == 403, forged
    browser = Client()
    send(token, browser=browser)
    assert browser.get("/settings/").status_code == 302, "it logs nobody in"
    assert Appeal.objects.count() == 1


def test_the_token_lives_for_an_hour(suspension: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_in(log_in())
    monkeypatch.setattr("moderation.appeals.suspended.LIFE_SECONDS", -1)
    assert LIFE_SECONDS == 60 * 60
    assert send(token).status_code == 403


def test_after_a_restoration_the_token_is_worthless(
    suspension: Measure, dave: User, mod: User
) -> None:
    token = token_in(log_in())
    take(Kind.RESTORE, dave, by=mod, reason="we were wrong")
    assert send(token).status_code == 403
    assert not Appeal.objects.exists()


def test_a_bad_appeal_keeps_its_words_and_its_token(suspension: Measure) -> None:
    token = token_in(log_in())
    answer = send(token, "x" * 1001)
    assert answer.status_code == 400
    assert token_in(answer.content.decode()) == token
    assert "x" * 1001 in answer.content.decode()
    forger = Client(enforce_csrf_checks=True)
    assert send(token, browser=forger).status_code == 403
    assert Client().get("/appeals/suspended/").status_code == 405
    assert not Appeal.objects.exists()
