"""Work that the one who asked does not wait for."""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from oauth2_provider.models import AccessToken

from streaming import control
from taskqueue.task import task

from . import selectors, store, suspension
from .models import User

# Anybody can sign up with somebody else's address; no mailbox shall be flooded through us.
ACCOUNTS_PER_MAILBOX = 10


@task()
def refresh_user(user_id: int) -> None:
    store.refresh_users([user_id])


@task()
def settle_suspension(user_id: int) -> None:
    """Make Redis fit to whether the account is suspended now, or gone, whatever it was before."""
    suspension.refresh([user_id])
    if User.objects.filter(pk=user_id, is_active=False).exists():
        _end_streams(user_id)


def _end_streams(user_id: int) -> None:
    """Those of browsers are found by `streaming.chores`, within half a minute."""
    tokens = AccessToken.objects.filter(user_id=user_id).values_list("pk", flat=True)
    control.tell_revoked(list(tokens))


def request_password_reset(*, email: str) -> None:
    """A mail for each account with this address.

    Without one the same work is done for nobody: not even the time it takes tells.
    """
    accounts = selectors.by_email(email).filter(is_active=True)[:ACCOUNTS_PER_MAILBOX]
    mail_password_resets.enqueue([account.pk for account in accounts])


@task()
def mail_password_resets(user_ids: list[int]) -> None:
    for user in User.objects.filter(pk__in=user_ids, is_active=True):
        # Where the admin has switched the password off, a mail must not switch it on again.
        if user.has_usable_password():
            _mail_password_reset(user)


def _mail_password_reset(user: User) -> None:
    """To the stored address, never to the one that was typed: they may differ in their letters."""
    context = {
        "user": user,
        "site_name": settings.SITE_NAME,
        "link": _reset_link(user),
        "until": _reset_link_expiry(),
    }
    body = render_to_string("users/mail/password_reset.txt", context)
    send_mail(f"Reset your password on {settings.SITE_NAME}", body, None, [user.email])


def _reset_link(user: User) -> str:
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    token = default_token_generator.make_token(user)
    return settings.SITE_URL + reverse("password_reset_confirm", args=[uid, token])


def _reset_link_expiry() -> datetime:
    return timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
