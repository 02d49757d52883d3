"""Codes of an authenticator app, and recovery codes: each works once, and for its owner."""

import time
from collections.abc import Callable
from functools import partial

import pyotp
import pytest
from django.core import mail
from pytest_django import Settings

from taskqueue.drain import drain
from tests.users.test_races import at_once
from users.models import AccountGone, Authenticator, RecoveryCode, User
from users.safety import second_factor
from users.services import confirm_email, delete_account
from web.refusals import Refusal

pytestmark = pytest.mark.django_db(transaction=True)

STEP = second_factor.STEP_SECONDS
NOW = 2_000_000_000.0


def code_at(secret: str, at: float) -> str:
    return pyotp.TOTP(secret).at(int(at))


def secret_of(user: User) -> str:
    second_factor.begin(user=user)
    secret = second_factor.unconfirmed_secret(user)
    assert secret
    return secret


def turn_on(user: User, *, at: float = NOW) -> tuple[str, list[str]]:
    """The secret, and the recovery codes."""
    secret = secret_of(user)
    return secret, second_factor.confirm(user=user, code=code_at(secret, at), at=at)


def test_it_is_on_after_a_first_code(alice: User) -> None:
    assert not second_factor.is_on(alice)
    secret = secret_of(alice)
    assert not second_factor.is_on(alice)
    codes = second_factor.confirm(user=alice, code=code_at(secret, NOW), at=NOW)
    assert second_factor.is_on(alice)
    assert len(set(codes)) == second_factor.codes_left(alice) == 10
    assert second_factor.unconfirmed_secret(alice) is None, "it is never shown again"


def test_a_wrong_first_code_turns_nothing_on(alice: User) -> None:
    secret = secret_of(alice)
    for code in ("000000", "", "abc", code_at(secret, NOW + 3 * STEP)):
        with pytest.raises(Refusal):
            second_factor.confirm(user=alice, code=code, at=NOW)
    assert not second_factor.is_on(alice)
    assert second_factor.codes_left(alice) == 0


def test_there_is_nothing_to_confirm_before_it_began_or_much_later(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refusal, match="begin again"):
        second_factor.confirm(user=alice, code="000000")
    secret = secret_of(alice)
    monkeypatch.setattr(second_factor, "SET_UP_WITHIN", -second_factor.SET_UP_WITHIN)
    with pytest.raises(Refusal, match="begin again"):
        second_factor.confirm(user=alice, code=code_at(secret, NOW), at=NOW)


def test_beginning_again_makes_another_secret(alice: User) -> None:
    older, newer = secret_of(alice), secret_of(alice)
    assert older != newer
    with pytest.raises(Refusal):
        second_factor.confirm(user=alice, code=code_at(older, NOW), at=NOW)


def test_what_is_on_can_not_be_begun_again(alice: User) -> None:
    """Somebody at an open session could replace it."""
    secret, _ = turn_on(alice)
    with pytest.raises(Refusal, match="already"):
        second_factor.begin(user=alice)
    with pytest.raises(Refusal, match="already"):
        second_factor.confirm(user=alice, code=code_at(secret, NOW + STEP), at=NOW + STEP)


def test_a_code_works_once(alice: User) -> None:
    secret, _ = turn_on(alice)
    assert not second_factor.use(user=alice, code=code_at(secret, NOW), at=NOW), "it turned it on"
    later = NOW + 10 * STEP
    assert second_factor.use(user=alice, code=code_at(secret, later), at=later)
    assert not second_factor.use(user=alice, code=code_at(secret, later), at=later)
    assert not second_factor.use(user=alice, code=code_at(secret, later), at=later + STEP)
    earlier = code_at(secret, later - STEP)
    assert not second_factor.use(user=alice, code=earlier, at=later), "nor an older one after it"


@pytest.mark.parametrize(("steps", "works"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_clocks_may_differ_a_little(alice: User, steps: int, works: bool) -> None:
    secret, _ = turn_on(alice)
    later = NOW + 100 * STEP
    code = code_at(secret, later + steps * STEP)
    assert second_factor.use(user=alice, code=code, at=later) is works


def test_of_many_log_ins_with_one_code_one_gets_in(alice: User) -> None:
    secret, recovery = turn_on(alice)
    later = NOW + 10 * STEP
    for code in (code_at(secret, later), recovery[0]):
        tries = [partial(second_factor.use, user=alice, code=code, at=later) for _ in range(8)]
        assert at_once(tries).count(True) == 1


@pytest.mark.parametrize(
    "spelling", [str, str.upper, str.title, lambda code: f" {code.replace('-', ' ')} "]
)
def test_a_recovery_code_works_once_however_it_is_typed(
    alice: User, spelling: Callable[[str], str]
) -> None:
    _, codes = turn_on(alice)
    typed = spelling(codes[3])
    assert second_factor.use(user=alice, code=typed)
    assert not second_factor.use(user=alice, code=typed)
    assert second_factor.codes_left(alice) == 9
    assert all(second_factor.use(user=alice, code=code) for code in codes if code != codes[3])
    assert second_factor.codes_left(alice) == 0


def test_using_a_recovery_code_is_mailed(alice: User) -> None:
    confirm_email(user=alice)
    _, codes = turn_on(alice)
    second_factor.use(user=alice, code=codes[0])
    drain()
    (message,) = mail.outbox
    assert "You have 9 left" in str(message.body)
    assert codes[0] not in str(message.body)


def test_codes_belong_to_one_account(alice: User, carol: User) -> None:
    secret, codes = turn_on(alice)
    later = NOW + 10 * STEP
    turn_on(carol)
    for code in (code_at(secret, later), codes[0]):
        assert not second_factor.use(user=carol, code=code, at=later)
    assert second_factor.use(user=alice, code=codes[0])


@pytest.mark.parametrize(
    "code",
    ["", " ", "-", "12345", "1234567", "\uff11" * 6, "\u0663" * 6, "x" * 10_000, "\0", "\ud800"],
)
def test_nonsense_is_no_code(alice: User, code: str) -> None:
    turn_on(alice)
    assert not second_factor.use(user=alice, code=code)


def test_without_it_no_code_works(alice: User) -> None:
    secret = secret_of(alice)
    assert not second_factor.use(user=alice, code=code_at(secret, time.time()))
    assert not second_factor.use(user=alice, code="000000")


def test_new_recovery_codes_replace_the_old_ones(alice: User) -> None:
    _, old = turn_on(alice)
    new = second_factor.new_recovery_codes(user=alice)
    assert not set(old) & set(new)
    assert not any(second_factor.use(user=alice, code=code) for code in old)
    assert second_factor.use(user=alice, code=new[0])


def test_turning_it_off_leaves_nothing(alice: User) -> None:
    secret, codes = turn_on(alice)
    for _ in range(2):
        second_factor.turn_off(user=alice)
    assert not second_factor.is_on(alice)
    assert not Authenticator.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert not second_factor.use(user=alice, code=codes[0])
    assert second_factor.new_recovery_codes(user=alice) == []
    assert turn_on(alice)[0] != secret


def test_neither_secret_nor_codes_can_be_read_in_sql(alice: User) -> None:
    secret, codes = turn_on(alice)
    held = str([*Authenticator.objects.values(), *RecoveryCode.objects.values()])
    for hidden in (secret, *codes, *(code.replace("-", "") for code in codes)):
        assert hidden not in held


def test_a_secret_can_not_be_moved_to_another_account(alice: User, carol: User) -> None:
    """Somebody who writes to SQL knows their own codes, but not those of others."""
    mine, _ = turn_on(carol)
    turn_on(alice)
    Authenticator.objects.filter(user=alice).update(
        secret=Authenticator.objects.get(user=carol).secret
    )
    later = NOW + 10 * STEP
    assert not second_factor.use(user=alice, code=code_at(mine, later), at=later)


def test_with_another_secret_key_recovery_codes_still_work(alice: User, settings: Settings) -> None:
    secret, codes = turn_on(alice)
    settings.SECRET_KEY = "another"
    later = NOW + 10 * STEP
    assert not second_factor.use(user=alice, code=code_at(secret, later), at=later)
    assert second_factor.use(user=alice, code=codes[0])


def test_of_an_account_that_is_gone_nothing_is_made(alice: User) -> None:
    delete_account(user=alice)
    with pytest.raises(AccountGone):
        second_factor.begin(user=alice)


def test_what_the_qr_code_says_is_what_apps_understand(alice: User) -> None:
    secret = secret_of(alice)
    address = second_factor.address_of(secret, alice)
    parsed = pyotp.parse_uri(address)
    assert parsed.secret == secret
    assert (parsed.name, parsed.issuer) == ("alice", "Socialsite")
