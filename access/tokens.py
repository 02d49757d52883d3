"""Access tokens: made, looked up, revoked.

They live in the tables of django-oauth-toolkit, so that the OAuth flows can be added beside them.
A token made here belongs to an application of its own, which carries its name. Only a checksum is
stored (COMPLIANT_BCP_RFC9700_TOKEN_STORAGE): the token itself is shown once and never again.
"""

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, set_token_value

from users import endings
from users.locking import lock_account
from users.models import User
from web.plain_text import validate_line

READ, FIREHOSE = "read", "firehose"
MAX_TOKENS = 50
LIFETIME = timedelta(days=365)
# Until then the owner can see why a script stopped working.
EXPIRED_KEPT = timedelta(days=30)
REMOVED_AT_ONCE = 500


def create_token(
    *, user: User, name: str, scopes: Collection[str] = (READ,)
) -> tuple[AccessToken, str]:
    """The row, and the token itself. Raises ValidationError and AccountGone."""
    validate_line(name)
    raw = secrets.token_urlsafe(32)
    with transaction.atomic():
        lock_account(user)
        if tokens_of(user).count() >= MAX_TOKENS:
            raise ValidationError(f"You have {MAX_TOKENS} tokens, the maximum.", code="limit")
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
    """The newest first."""
    tokens: QuerySet[AccessToken] = AccessToken.objects.filter(user=user)
    return tokens.select_related("application").order_by("-id")


def revoke_token(*, token: AccessToken) -> None:
    """Its streams are closed within a second."""
    token_id = token.pk
    with transaction.atomic():
        Application.objects.filter(pk=token.application_id).delete()
        AccessToken.objects.filter(pk=token_id).delete()
        endings.end_streams_of_tokens([token_id])


def end_access(*, user_id: int, reason: str) -> None:
    """Revoke all tokens and close all streams of an account."""
    with transaction.atomic():
        tokens = AccessToken.objects.filter(user=user_id)
        made_here = list(tokens.values_list("application_id", flat=True))
        Application.objects.filter(user=user_id, pk__in=made_here).delete()
        tokens.delete()
        endings.end_streams_of_user(user_id, reason)


def remove_expired() -> None:
    """A few hundred per transaction, so that no other writer waits long."""
    expired = AccessToken.objects.filter(expires__lt=timezone.now() - EXPIRED_KEPT)
    while ids := dict(expired.values_list("pk", "application_id")[:REMOVED_AT_ONCE]):
        with transaction.atomic():
            AccessToken.objects.filter(pk__in=ids).delete()
            # Only our own: an application with a redirect address will have other tokens.
            Application.objects.filter(pk__in=ids.values(), redirect_uris="").delete()


class Grant(NamedTuple):
    """What a token allows, and on whose behalf."""

    user_id: int
    token_id: int
    scopes: frozenset[str]


class BadToken(Exception):  # noqa: N818 - reads as what it is
    """The token is unknown, revoked or expired."""


class SuspendedAccount(Exception):  # noqa: N818 - reads as what it is
    """The token is valid, but its account is suspended."""


def look_up(raw: str) -> Grant:
    """Raises BadToken or SuspendedAccount. One query."""
    checksum = hashlib.sha256(raw.encode()).hexdigest()
    token = AccessToken.objects.select_related("user").filter(token_checksum=checksum).first()
    if token is None or token.is_expired() or token.user is None:
        raise BadToken("The token is unknown, revoked or expired")
    if not token.user.is_active:
        raise SuspendedAccount("The account is suspended")
    return Grant(token.user.pk, token.pk, _scopes(token))


def needed_for(stream_name: str) -> str:
    return FIREHOSE if stream_name == "firehose" else READ


def scopes_now(token_ids: Collection[int]) -> dict[int, frozenset[str]]:
    """What each of the tokens allows now, without invalid ones. One query."""
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
