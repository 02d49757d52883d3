"""Two-factor log-in through the pages: turning it on and off, and logging in with it."""

import re
import time
from functools import partial

import pyotp
import pytest
from django.conf import settings as site
from django.test import Client

from tests.users.conftest import PASSWORD
from tests.users.test_races import at_once
from users.login import steps
from users.models import Authenticator, Session, User
from users.safety import second_factor
from users.services import suspend
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "/settings/two-factor/"
SET_UP = "/settings/two-factor/set-up/"
TOLERANCE = 30


class Phone:
    """An authenticator app, whose clock goes on with every code: each of them works once."""

    def __init__(self, secret: str) -> None:
        self.totp, self.at = pyotp.TOTP(secret), time.time()

    def code(self) -> str:
        self.at += second_factor.STEP_SECONDS
        return self.totp.at(int(self.at))

    def wrong_code(self) -> str:
        """Not even right by chance."""
        right = {self.totp.at(int(time.time()), around) for around in range(-2, TOLERANCE + 2)}
        return next(code for code in map(str, range(100_000, 10**6)) if code not in right)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site's clock may differ from the phone's by a quarter of an hour."""
    monkeypatch.setattr(second_factor, "STEPS_AROUND", range(TOLERANCE))


def set_up(browser: Client) -> tuple[Phone, list[str]]:
    assert browser.post(PAGE, {"password": PASSWORD})["Location"] == SET_UP
    phone = Phone(browser.get(SET_UP).context["secret"])
    page = browser.post(SET_UP, {"code": phone.code()})
    assert page.status_code == 200
    return phone, page.context["codes"]


@pytest.fixture
def phone(alices_browser: Client, patient: None) -> Phone:
    return set_up(alices_browser)[0]


def give_password(username: str = "alice") -> Client:
    """A browser that has passed the first step."""
    browser = Client()
    form = {"username": username, "password": PASSWORD}
    answer = browser.post("/login/?next=/explore/", form)
    assert (answer.status_code, answer["Location"]) == (302, "/login/code/")
    return browser


def give_code(browser: Client, code: str) -> int:
    return browser.post("/login/code/", {"code": code}).status_code


def is_logged_in(browser: Client) -> bool:
    return browser.get("/settings/").status_code == 200


# Turning it on and off --------------------------------------------------------------------


@pytest.mark.usefixtures("patient")
def test_it_is_turned_on_with_a_code_and_shows_recovery_codes_once(
    alices_browser: Client, alice: User
) -> None:
    assert "It is off" in alices_browser.get(PAGE).content.decode()
    alices_browser.post(PAGE, {"password": PASSWORD})
    page = alices_browser.get(SET_UP)
    secret = page.context["secret"]
    html = page.content.decode()
    assert f">{secret}</code>" in html
    assert "<svg " in html
    assert "otpauth://totp/Socialsite:alice?" in html
    assert page.headers["Cache-Control"].count("no-store") == 1
    form = {"code": Phone(secret).code()}
    done = alices_browser.post(SET_UP, form)
    assert len(re.findall(r"[a-z2-7]{4}(?:-[a-z2-7]{4}){3}</code>", done.content.decode())) == 10
    again = alices_browser.post(SET_UP, form, follow=True)
    assert again.redirect_chain[-1][0] == PAGE
    assert "You have 10 recovery codes left" in again.content.decode()
    assert secret not in again.content.decode()


def test_beginning_takes_the_password(alices_browser: Client) -> None:
    assert alices_browser.post(PAGE, {"password": "wrong"}).status_code == 400
    assert not Authenticator.objects.exists()
    assert alices_browser.get(SET_UP)["Location"] == PAGE


def test_a_wrong_code_shows_the_same_secret_again(alices_browser: Client, alice: User) -> None:
    alices_browser.post(PAGE, {"password": PASSWORD})
    secret = alices_browser.get(SET_UP).context["secret"]
    page = alices_browser.post(SET_UP, {"code": "000000"})
    assert page.status_code == 400
    assert page.context["secret"] == secret
    assert not second_factor.is_on(alice)


def test_guessing_the_first_code_is_limited(alices_browser: Client) -> None:
    alices_browser.post(PAGE, {"password": PASSWORD})
    codes = [alices_browser.post(SET_UP, {"code": "000000"}).status_code for _ in range(11)]
    assert codes == [400] * 10 + [429]


@pytest.mark.usefixtures("patient")
def test_other_devices_have_to_log_in_again(alices_browser: Client, alice: User) -> None:
    other = Client()
    other.force_login(alice)
    set_up(alices_browser)
    assert is_logged_in(alices_browser)
    assert not is_logged_in(other)


def test_turning_it_off_takes_password_and_code(
    alices_browser: Client, alice: User, phone: Phone
) -> None:
    off = f"{PAGE}off/"
    for form in ({"password": PASSWORD}, {"code": phone.code()}):
        assert alices_browser.post(off, form).status_code == 400
    form = {"password": PASSWORD, "code": phone.wrong_code()}
    assert alices_browser.post(off, form).status_code == 400
    assert second_factor.is_on(alice)
    form = {"password": PASSWORD, "code": phone.code()}
    assert alices_browser.post(off, form)["Location"] == PAGE
    assert not second_factor.is_on(alice)


def test_a_wrong_password_uses_no_code_up(alices_browser: Client, phone: Phone) -> None:
    code = phone.code()
    form = {"password": "wrong", "code": code}
    assert alices_browser.post(f"{PAGE}off/", form).status_code == 400
    form = {"password": PASSWORD, "code": code}
    assert alices_browser.post(f"{PAGE}off/", form).status_code == 302


def test_new_recovery_codes_take_password_and_code(
    alices_browser: Client, alice: User, phone: Phone
) -> None:
    address = f"{PAGE}codes/"
    assert alices_browser.post(address, {"password": PASSWORD}).status_code == 400
    form = {"password": PASSWORD, "code": phone.code()}
    page = alices_browser.post(address, form)
    assert len(page.context["codes"]) == 10
    assert alices_browser.post(address, form).status_code == 400, "sent again"
    assert second_factor.use(user=alice, code=page.context["codes"][0])


def test_who_has_none_gets_no_recovery_codes(alices_browser: Client) -> None:
    page = alices_browser.post(f"{PAGE}codes/", {"password": PASSWORD})
    assert page.status_code == 400
    assert "codes" not in page.context


def test_deleting_the_account_takes_a_code_too(
    alices_browser: Client, alice: User, phone: Phone
) -> None:
    assert alices_browser.post("/settings/delete/", {"password": PASSWORD}).status_code == 400
    alice.refresh_from_db()
    assert alice.leaving_at is None
    form = {"password": PASSWORD, "code": phone.code()}
    assert alices_browser.post("/settings/delete/", form).status_code == 302
    alice.refresh_from_db()
    assert alice.leaving_at is not None


# Logging in -------------------------------------------------------------------------------


def test_logging_in_takes_a_code(alice: User, phone: Phone) -> None:
    browser = give_password()
    assert not is_logged_in(browser)
    assert browser.get("/login/code/").status_code == 200
    answer = browser.post("/login/code/", {"code": phone.code()})
    assert answer["Location"] == "/explore/", "where they were going"
    assert is_logged_in(browser)


def test_a_recovery_code_does_too_once(alices_browser: Client, patient: None) -> None:
    _, codes = set_up(alices_browser)
    browser = give_password()
    assert give_code(browser, codes[0].upper()) == 302
    assert is_logged_in(browser)
    assert give_code(give_password(), codes[0]) == 400


def test_a_wrong_code_lets_nobody_in(alice: User, phone: Phone) -> None:
    browser = give_password()
    for code in (phone.wrong_code(), "", "x" * 5_000, "<script>", "' OR 1=1 --"):
        assert give_code(browser, code) == 400
    assert not is_logged_in(browser)
    assert give_code(browser, phone.code()) == 302


def test_a_used_code_lets_nobody_in(alice: User, phone: Phone) -> None:
    code = phone.code()
    assert give_code(give_password(), code) == 302
    other = give_password()
    assert give_code(other, code) == 400
    assert not is_logged_in(other)


def test_of_many_with_the_same_code_one_gets_in(alice: User, phone: Phone) -> None:
    code = phone.code()
    browsers = [give_password() for _ in range(5)]
    at_once(partial(give_code, browser, code) for browser in browsers)
    assert [is_logged_in(browser) for browser in browsers].count(True) == 1


def test_the_second_step_comes_after_the_first(alice: User, phone: Phone) -> None:
    stranger = Client()
    assert stranger.get("/login/code/")["Location"] == "/login/"
    assert stranger.post("/login/code/", {"code": phone.code()})["Location"] == "/login/"
    assert stranger.post("/login/keep/")["Location"] == "/login/"
    assert not is_logged_in(stranger)


def test_a_wrong_password_does_not_tell_that_there_is_a_second_step(
    alice: User, carol: User, phone: Phone
) -> None:
    def answer(username: str) -> tuple[int, list[str]]:
        page = Client().post("/login/", {"username": username, "password": "wrong"})
        return page.status_code, page.context["form"].non_field_errors()

    assert answer("alice") == answer("carol") == answer("nobody_here")


def test_the_second_step_waits_ten_minutes(
    alice: User, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = give_password()
    monkeypatch.setattr(steps, "PENDING_SECONDS", -1)
    answer = browser.post("/login/code/", {"code": phone.code()}, follow=True)
    assert answer.redirect_chain == [("/login/", 302)]
    assert "This took too long" in answer.content.decode()
    assert not is_logged_in(browser)


@pytest.mark.parametrize("fate", ["password", "suspended", "gone"])
def test_what_changes_between_the_steps_counts(alice: User, phone: Phone, fate: str) -> None:
    browser = give_password()
    if fate == "password":
        alice.set_password("eight blue bottles")
        alice.save()
    elif fate == "suspended":
        suspend(user=alice)
    else:
        User.objects.filter(pk=alice.pk).delete()
    assert browser.post("/login/code/", {"code": phone.code()})["Location"] == "/login/"
    assert not is_logged_in(browser)


def test_the_first_step_changes_the_key_of_the_session(alice: User, phone: Phone) -> None:
    """Who planted a key in the browser must not get to the second step with it."""
    planted = give_password().cookies[site.SESSION_COOKIE_NAME].value
    victim = Client()
    victim.cookies[site.SESSION_COOKIE_NAME] = planted
    victim.post("/login/", {"username": "alice", "password": PASSWORD})
    assert victim.cookies[site.SESSION_COOKIE_NAME].value != planted
    attacker = Client()
    attacker.cookies[site.SESSION_COOKIE_NAME] = planted
    assert attacker.get("/login/code/")["Location"] == "/login/"


def test_between_the_steps_the_session_belongs_to_nobody(alice: User, phone: Phone) -> None:
    before = set(Session.objects.filter(user=alice).values_list("pk", flat=True))
    give_password()
    assert set(Session.objects.filter(user=alice).values_list("pk", flat=True)) == before


def test_guessing_codes_is_limited_per_account(alice: User, phone: Phone) -> None:
    """Over all browsers, and addresses."""
    for number in range(10):
        browser = give_password()
        answer = browser.post(
            "/login/code/", {"code": phone.wrong_code()}, REMOTE_ADDR=f"192.0.2.{number}"
        )
        assert answer.status_code == 400
    browser = give_password()
    answer = browser.post("/login/code/", {"code": phone.code()}, REMOTE_ADDR="192.0.2.99")
    assert answer.status_code == 429
    assert not is_logged_in(browser)


def test_who_guesses_does_not_lock_a_known_device_out(alice: User, phone: Phone) -> None:
    mine = give_password()
    assert give_code(mine, phone.code()) == 302
    mine.post("/logout/")
    stranger = give_password()
    assert [give_code(stranger, phone.wrong_code()) for _ in range(11)][-1] == 429
    mine.post("/login/", {"username": "alice", "password": PASSWORD})
    assert give_code(mine, phone.code()) == 302


def test_right_codes_do_not_count(alice: User, phone: Phone) -> None:
    assert [give_code(give_password(), phone.code()) for _ in range(12)] == [302] * 12


# The admin --------------------------------------------------------------------------------


@pytest.fixture
def boss(alice: User) -> User:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    return User.objects.get(pk=alice.pk)


def test_the_admin_wants_the_second_factor_of_staff_who_have_one(
    boss: User, alices_browser: Client, patient: None
) -> None:
    assert alices_browser.get("/admin/").status_code == 200
    phone, _ = set_up(alices_browser)
    assert alices_browser.get("/admin/").status_code == 200, "this session turned it on"
    unproven = Client()
    unproven.force_login(boss)
    page = unproven.get("/admin/", follow=True)
    assert page.status_code == 403
    assert "in again with a code" in page.content.decode()
    assert unproven.get("/admin/users/user/").status_code == 302
    proven = give_password()
    give_code(proven, phone.code())
    assert proven.get("/admin/users/user/").status_code == 200


def test_an_administrator_helps_somebody_who_lost_everything(
    boss: User, carol: User, client: Client
) -> None:
    second_factor.begin(user=carol)
    secret = second_factor.unconfirmed_secret(carol)
    assert secret
    second_factor.confirm(user=carol, code=pyotp.TOTP(secret).now())
    admin = Client()
    admin.force_login(boss)
    row = Authenticator.objects.get(user=carol)
    page = admin.get(f"/admin/users/authenticator/{row.pk}/change/").content.decode()
    assert secret not in page
    assert row.secret not in page
    answer = admin.post(f"/admin/users/authenticator/{row.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not second_factor.is_on(carol)
    assert second_factor.codes_left(carol) == 0
    login = client.post("/login/", {"username": "carol", "password": PASSWORD})
    assert login["Location"] == "/"


def test_the_service_says_what_is_wrong(alice: User) -> None:
    with pytest.raises(Refusal):
        second_factor.confirm(user=alice, code="123456")
