"""Access tokens: made, looked up, revoked.

They live in the tables of django-oauth-toolkit, so that the OAuth flows can be added beside them.
Each belongs to an application of its own, which carries its name. Only a checksum is stored
(COMPLIANT_BCP_RFC9700_TOKEN_STORAGE): the token itself is shown once.
"""

import hashlib
import logging
from collections.abc import Collection
from datetime import date, timedelta
from typing import NamedTuple

from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext
from oauth2_provider.models import AccessToken, Application, set_token_value

from users.models import User
from users.rows import lock_account
from users.standing import stream_endings
from users.throttling import throttled
from web.plain_text import validate_line
from web.refusals import Refusal

from .models import TokenUse

READ, FIREHOSE = "read", "firehose"
MAX_TOKENS = 50
LIFETIME = timedelta(days=365)
# Of letters and digits, 256 bits: with a dash in front a command would take it for an option.
TOKEN_LENGTH = 43
# Until then the owner can see why a script stopped working.
EXPIRED_KEPT = timedelta(days=30)
REMOVED_AT_ONCE = 500

logger = logging.getLogger(__name__)


@throttled("token", by="user")
def create_token(
    *, user: User, name: str, scopes: Collection[str] = (READ,)
) -> tuple[AccessToken, str]:
    """The row, and the token itself. Raises Refusal and AccountGone."""
    validate_line(name)
    raw = get_random_string(TOKEN_LENGTH)
    with transaction.atomic():
        lock_account(user)
        if tokens_of(user).count() >= MAX_TOKENS:
            words = gettext("You have %(most)s tokens, the maximum.") % {"most": MAX_TOKENS}
            raise Refusal(words, code="limit")
        token = AccessToken(
            user=user,
            application=_application(user, name),
            scope=" ".join(sorted(scopes)),
            expires=timezone.now() + LIFETIME,
        )
        set_token_value(token, raw)
        token.save()
    return token, raw


def tokens_of(user: User) -> QuerySet[AccessToken]:
    tokens: QuerySet[AccessToken] = AccessToken.objects.filter(user=user)
    return tokens.select_related("application", "use").order_by("-id")


def last_use(token: AccessToken) -> date | None:
    use: TokenUse | None = getattr(token, "use", None)
    return use.used_on if use else None


def revoke_token(*, token: AccessToken) -> None:
    token_id = token.pk
    with transaction.atomic():
        Application.objects.filter(pk=token.application_id).delete()
        AccessToken.objects.filter(pk=token_id).delete()
        stream_endings.end_streams_of_tokens([token_id])


def revoke_all(*, user_id: int) -> int:
    """Their streams are closed within a second. Returns how many."""
    with transaction.atomic():
        token_ids = _remove_all(user_id)
        stream_endings.end_streams_of_tokens(token_ids)
    return len(token_ids)


def end_access(*, user_id: int, reason: str) -> None:
    with transaction.atomic():
        _remove_all(user_id)
        stream_endings.end_streams_of_user(user_id, reason)


def _remove_all(user_id: int) -> list[int]:
    tokens = AccessToken.objects.filter(user=user_id)
    made_here = dict(tokens.values_list("pk", "application_id"))
    Application.objects.filter(user=user_id, pk__in=made_here.values()).delete()
    tokens.delete()
    return list(made_here)


def remove_expired() -> None:
    """A few hundred per transaction, so that no other writer waits long."""
    expired = AccessToken.objects.filter(expires__lt=timezone.now() - EXPIRED_KEPT)
    while ids := dict(expired.values_list("pk", "application_id")[:REMOVED_AT_ONCE]):
        with transaction.atomic():
            AccessToken.objects.filter(pk__in=ids).delete()
            # Only our own: an application with a redirect address will have other tokens.
            Application.objects.filter(pk__in=ids.values(), redirect_uris="").delete()


class Grant(NamedTuple):
    user_id: int
    token_id: int
    scopes: frozenset[str]


class BadToken(Exception):  # noqa: N818 - reads as what it is
    """The token is unknown, revoked or expired."""


class SuspendedAccount(Exception):  # noqa: N818 - reads as what it is
    """The token is valid, but its account is suspended."""


def look_up(raw: str) -> Grant:
    """Raises BadToken or SuspendedAccount. One query; the first use of a day is noted."""
    checksum = hashlib.sha256(raw.encode()).hexdigest()
    tokens = AccessToken.objects.select_related("user", "use")
    token = tokens.filter(token_checksum=checksum).first()
    if token is None or token.is_expired() or token.user is None:
        raise BadToken("The token is unknown, revoked or expired")
    if not token.user.is_active:
        raise SuspendedAccount("The account is suspended")
    _note_use(token, timezone.now().date())
    return Grant(token.user.pk, token.pk, _scopes(token))


def _note_use(token: AccessToken, today: date) -> None:
    """One statement. It may fail: the token was revoked just now, or SQL is busy."""
    if last_use(token) == today:
        return
    use = TokenUse(token_id=token.pk, used_on=today)
    try:
        TokenUse.objects.bulk_create(
            [use], update_conflicts=True, unique_fields=["token"], update_fields=["used_on"]
        )
    except DatabaseError as error:
        logger.warning("The use of a token was not noted: %s", error)


def needed_for(stream_name: str) -> str:
    return FIREHOSE if stream_name == "firehose" else READ


def scopes_now(token_ids: Collection[int]) -> dict[int, frozenset[str]]:
    """Without invalid tokens. One query."""
    valid = AccessToken.objects.select_related("user").filter(
        pk__in=token_ids, expires__gt=timezone.now(), user__is_active=True
    )
    return {token.pk: _scopes(token) for token in valid}


def _scopes(token: AccessToken) -> frozenset[str]:
    """The firehose is for staff, for as long as they are staff."""
    scopes = frozenset(token.scope.split())
    return scopes if token.user.is_staff else scopes - {FIREHOSE}


def _application(user: User, name: str) -> Application:
    """Without a redirect address and a secret, no OAuth flow can use it."""
    application = Application(
        user=user,
        name=name,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        client_secret="",
        hash_client_secret=False,
    )
    application.save()
    return application
