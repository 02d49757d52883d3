"""The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes. Each works
once: of two log-ins with the same code at the same moment one is refused.
"""

import hashlib
import re
import secrets
import time
from base64 import b32encode
from datetime import timedelta

import pyotp
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext

from configuration.current import site
from redistools.sealing import seal, unseal
from taskqueue import start
from web.refusals import Refusal

from .. import tasks
from ..models import Authenticator, RecoveryCode, User
from ..rows import lock_account

RECOVERY_CODES = 10
RECOVERY_BYTES = 10
STEP_SECONDS = 30
# Clocks differ: the codes before and after the current one work too.
STEPS_AROUND = (0, -1, 1)
# A secret that was shown, but not confirmed, is worth nothing after this.
SET_UP_WITHIN = timedelta(minutes=30)

APP_CODE = re.compile(r"\d{6}", re.ASCII)


def is_on(user: User) -> bool:
    return _confirmed(user) is not None


def begin(*, user: User) -> None:
    """Makes a new secret, to be shown and confirmed. Raises Refusal if it is on."""
    secret = seal(pyotp.random_base32().encode(), owner=_owner(user.pk))
    with transaction.atomic():
        lock_account(user)
        if is_on(user):
            raise Refusal(gettext("Two-factor log-in is on already."), code="on")
        fields = {"secret": secret, "created_at": timezone.now(), "last_step": 0}
        Authenticator.objects.update_or_create(user=user, defaults=fields)


def unconfirmed_secret(user: User) -> str | None:
    fresh = timezone.now() - SET_UP_WITHIN
    unconfirmed = Authenticator.objects.filter(user=user, confirmed_at=None, created_at__gt=fresh)
    return _secret(authenticator) if (authenticator := unconfirmed.first()) else None


def address_of(secret: str, user: User) -> str:
    return pyotp.TOTP(secret).provisioning_uri(user.username, issuer_name=site().name)


def confirm(*, user: User, code: str, at: float | None = None) -> list[str]:
    """Turns it on; returns the recovery codes, which nobody can show again. Raises Refusal."""
    with transaction.atomic():
        lock_account(user)
        if is_on(user):
            raise Refusal(gettext("Two-factor log-in is on already."), code="on")
        if unconfirmed_secret(user) is None:
            raise Refusal(gettext("This took too long: begin again."), code="late")
        if not _use_app_code(Authenticator.objects.get(user=user), code, at):
            raise Refusal(gettext("This code is wrong, or too old."), code="wrong")
        Authenticator.objects.filter(user=user).update(confirmed_at=timezone.now())
        return _make_recovery_codes(user)


def use(*, user: User, code: str, at: float | None = None) -> bool:
    """Is it a code of the app, or a recovery code, that was not used before? Uses it up."""
    bare = re.sub(r"[\s-]", "", code).lower()
    if APP_CODE.fullmatch(bare):
        authenticator = _confirmed(user)
        return authenticator is not None and _use_app_code(authenticator, bare, at)
    return _use_recovery_code(user, bare)


def codes_left(user: User) -> int:
    return RecoveryCode.objects.filter(user=user).count()


def new_recovery_codes(*, user: User) -> list[str]:
    """The older ones no longer work. Empty for an account without the second factor."""
    with transaction.atomic():
        lock_account(user)
        return _make_recovery_codes(user) if is_on(user) else []


def turn_off(*, user: User) -> None:
    with transaction.atomic():
        Authenticator.objects.filter(user=user).delete()
        RecoveryCode.objects.filter(user=user).delete()


def _confirmed(user: User) -> Authenticator | None:
    return Authenticator.objects.filter(user=user, confirmed_at__isnull=False).first()


def _use_app_code(authenticator: Authenticator, code: str, at: float | None) -> bool:
    """The row remembers the step; a conditional update lets only one of several in."""
    secret = _secret(authenticator)
    bare = re.sub(r"\s", "", code)
    if secret is None or not APP_CODE.fullmatch(bare):
        return False
    now = int((time.time() if at is None else at) // STEP_SECONDS)
    for step in (now + around for around in STEPS_AROUND):
        if constant_time_compare(pyotp.TOTP(secret).generate_otp(step), bare):
            unused = Authenticator.objects.filter(pk=authenticator.pk, last_step__lt=step)
            return bool(unused.update(last_step=step))
    return False


def _use_recovery_code(user: User, bare: str) -> bool:
    with transaction.atomic():
        used, _ = RecoveryCode.objects.filter(user=user, digest=_digest(bare)).delete()
        if used:
            start.on_commit(tasks.mail_recovery_notice, user.pk)
    return bool(used)


def _make_recovery_codes(user: User) -> list[str]:
    made = [secrets.token_bytes(RECOVERY_BYTES) for _ in range(RECOVERY_CODES)]
    codes = [b32encode(it).decode().lower() for it in made]
    RecoveryCode.objects.filter(user=user).delete()
    rows = [RecoveryCode(user=user, digest=_digest(code)) for code in codes]
    RecoveryCode.objects.bulk_create(rows)
    return ["-".join(re.findall("....", code)) for code in codes]


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def _secret(authenticator: Authenticator) -> str | None:
    """None if `SECRET_KEY` was changed: then recovery codes still work."""
    secret = unseal(authenticator.secret, owner=_owner(authenticator.user_id))
    return None if secret is None else secret.decode()


def _owner(user_id: int) -> str:
    return f"authenticator of {user_id}"
