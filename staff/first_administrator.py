"""The link by which somebody signs up as the first administrator of an empty site.

Its token is made from `SECRET_KEY` and from a nonce in SQL, so that every start of every host
prints the same, and neither store gives it away.
"""

import secrets
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_variables

from users.models import User
from users.services import sign_up
from web.refusals import Refusal

from .models import FirstAdministrator
from .roles import Role
from .services import give_role

ONLY_ROW = 1
SALT = "staff.first_administrator"
# Hexadecimal: nobody guesses so many, and the line in the terminal stays one line.
TOKEN_DIGITS = 32


class NoLongerOpen(Refusal):
    def __init__(self) -> None:
        words = gettext("This link is wrong, or has been used.")
        super().__init__(words, code="first_administrator")


def link() -> str | None:
    """None unless there is no account at all: who runs an older site has `make admin`."""
    if User.objects.exists():
        return None
    fresh = {"nonce": secrets.token_hex(32)}
    row, _ = FirstAdministrator.objects.get_or_create(pk=ONLY_ROW, defaults=fresh)
    if row.used_at is not None:
        return None
    address = f"{settings.SITE_URL}{reverse('first_administrator')}"
    return f"{address}?{urlencode({'token': _token(row)})}"


def is_open_to(token: str) -> bool:
    """Until it is used, or somebody else has become an administrator."""
    row = FirstAdministrator.objects.filter(pk=ONLY_ROW).first()
    return row is not None and _fits(row, token)


@sensitive_variables("token", "account")
def sign_up_first(*, token: str, **account: Any) -> User:
    """Of two at once, one does; the other makes no account. Raises Refusal and ValidationError."""
    with transaction.atomic():
        # Also while the password is hashed: nobody else is here to be held up.
        row = FirstAdministrator.objects.select_for_update().filter(pk=ONLY_ROW).first()
        if row is None or not _fits(row, token):
            raise NoLongerOpen
        user = sign_up(**account)
        give_role(user=user, role=Role.ADMINISTRATOR, by=user)  # closes the link
    return user


def _fits(row: FirstAdministrator, token: str) -> bool:
    is_ours = constant_time_compare(_token(row), token.encode(errors="replace").decode())
    return row.used_at is None and is_ours and not _has_administrator()


def _has_administrator() -> bool:
    return User.objects.filter(is_superuser=True).exists()


def _token(row: FirstAdministrator) -> str:
    return salted_hmac(SALT, row.nonce, algorithm="sha256").hexdigest()[:TOKEN_DIGITS]
