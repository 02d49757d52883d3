"""What a stranger at an open session must not do asks for the password, and for a code where
two-factor log-in is on: the same on every page.
"""

import pytest
from django.test import Client

from tests.users.conftest import PASSWORD
from tests.users.safety.test_two_factor_pages import TOLERANCE, Phone, set_up
from users.models import EmailChange, RecoveryCode, User
from users.safety import second_factor

pytestmark = pytest.mark.django_db(transaction=True)

NEW = "eight blue bottles"
EMAIL, NEW_PASSWORD = "/settings/email/", "/settings/password/"
PAGES: dict[str, dict[str, str]] = {
    EMAIL: {"email": "new@example.com", "password": PASSWORD},
    NEW_PASSWORD: {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW},
    "/settings/two-factor/off/": {"password": PASSWORD},
    "/settings/two-factor/codes/": {"password": PASSWORD},
    "/settings/delete/": {"password": PASSWORD},
}


@pytest.fixture
def phone(alices_browser: Client, monkeypatch: pytest.MonkeyPatch) -> Phone:
    """The site's clock may differ from the phone's by a quarter of an hour."""
    monkeypatch.setattr(second_factor, "STEPS_AROUND", range(TOLERANCE))
    return set_up(alices_browser)[0]


def state(alice: User) -> tuple[object, ...]:
    """All that these pages change."""
    alice = User.objects.get(pk=alice.pk)
    wishes = list(EmailChange.objects.values_list("email", flat=True))
    codes = set(RecoveryCode.objects.values_list("digest", flat=True))
    return alice.password, wishes, second_factor.is_on(alice), codes, alice.leaving_at


@pytest.mark.parametrize("page", PAGES)
def test_the_password_alone_is_not_enough(
    alices_browser: Client, alice: User, phone: Phone, page: str
) -> None:
    assert 'name="code"' in alices_browser.get(page).content.decode()
    before = state(alice)
    for code in ("", phone.wrong_code()):
        answer = alices_browser.post(page, PAGES[page] | {"code": code})
        assert answer.status_code == 400
        assert list(answer.context["form"].errors) == ["code"]
    assert state(alice) == before
    assert alices_browser.post(page, PAGES[page] | {"code": phone.code()}).status_code in (200, 302)
    assert state(alice) != before


@pytest.mark.parametrize("page", PAGES)
def test_a_code_is_used_up_only_when_everything_else_is_right(
    alices_browser: Client, alice: User, phone: Phone, page: str
) -> None:
    before, code = state(alice), phone.code()
    for name in PAGES[page]:
        wrong = PAGES[page] | {name: "wrong", "code": code}
        assert alices_browser.post(page, wrong).status_code == 400
    assert state(alice) == before
    assert alices_browser.post(page, PAGES[page] | {"code": code}).status_code in (200, 302)
    assert state(alice) != before


@pytest.mark.parametrize("page", [EMAIL, NEW_PASSWORD])
def test_guessing_codes_there_is_limited(
    alices_browser: Client, alice: User, phone: Phone, page: str
) -> None:
    before, wrong = state(alice), phone.wrong_code()
    answers = [alices_browser.post(page, PAGES[page] | {"code": wrong}) for _ in range(11)]
    assert [it.status_code for it in answers] == [400] * 10 + [429]
    assert state(alice) == before


@pytest.mark.parametrize("page", [EMAIL, NEW_PASSWORD])
def test_without_two_factor_log_in_nobody_is_asked_for_a_code(
    alices_browser: Client, alice: User, page: str
) -> None:
    before = state(alice)
    assert 'name="code"' not in alices_browser.get(page).content.decode()
    assert alices_browser.post(page, PAGES[page]).status_code == 302
    assert state(alice) != before
