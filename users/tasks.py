"""Work that nobody waits for."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.core.management import call_command
from django.template.loader import render_to_string
from django.utils import timezone

from taskqueue.periodic import periodic
from taskqueue.task import task

from . import endings, selectors, store, suspension
from .login.mail_links import confirmation_link, reset_link
from .models import User

# Anybody can sign up with somebody else's address: a mail lists no more accounts than this.
ACCOUNTS_PER_MAIL = 10


@task()
def refresh_user(user_id: int) -> None:
    store.refresh_users([user_id])


@task()
def settle_suspension(user_id: int) -> None:
    """Make Redis agree with SQL: the account is suspended now, or not, or gone."""
    suspension.refresh([user_id])
    if User.objects.filter(pk=user_id, is_active=False).exists():
        endings.end_streams_of_user(user_id, "The account is suspended.")


def request_password_reset(*, email: str) -> None:
    """A mail that lists the accounts with this address.

    Without any, the same work is done for nothing, so that its duration gives nothing away.
    """
    accounts = selectors.by_email(email).filter(is_active=True)[:ACCOUNTS_PER_MAIL]
    mail_password_resets.enqueue([account.pk for account in accounts])


@task()
def mail_password_resets(user_ids: list[int]) -> None:
    # If the admin has disabled the password, a mail must not enable it again.
    users = selectors.confirmed_first(User.objects.filter(pk__in=user_ids, is_active=True))
    resettable = [user for user in users if user.has_usable_password()]
    for mailbox in dict.fromkeys(_mailbox(user) for user in resettable):
        _mail_password_reset([user for user in resettable if _mailbox(user) == mailbox])


def _mailbox(user: User) -> str:
    """Case alone makes no other mailbox. Other letters may: the database takes K (Kelvin) for k."""
    return user.email.lower() if user.email.isascii() else user.email


def _mail_password_reset(users: Sequence[User]) -> None:
    """To the stored address, never to the typed one: their letters may differ."""
    _replace_older_links(users)
    context = {
        "accounts": [{"username": user.username, "link": reset_link(user)} for user in users],
        "until": timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
    }
    subject = f"Reset your password on {settings.SITE_NAME}"
    _send(subject, "password_reset", context, to=users[0].email)


def _replace_older_links(users: Collection[User]) -> None:
    now = timezone.now()
    User.objects.filter(pk__in=[user.pk for user in users]).update(reset_mailed_at=now)
    for user in users:
        user.reset_mailed_at = now


@task()
def mail_confirmation(user_id: int) -> None:
    user = User.objects.filter(pk=user_id, is_active=True, email_confirmed_at=None).first()
    if user is not None:
        context = {"user": user, "link": confirmation_link(user)}
        subject = f"Confirm your address on {settings.SITE_NAME}"
        _send(subject, "confirm_email", context, to=user.email)


def _send(subject: str, template: str, context: dict[str, object], *, to: str) -> None:
    context["site_name"] = settings.SITE_NAME
    body = render_to_string(f"users/mail/{template}.txt", context)
    send_mail(subject, body, None, [to])


@periodic(every=timedelta(hours=1))
@task()
def remove_expired_sessions() -> None:
    """In Redis sessions expire by themselves; their rows in SQL have to be removed."""
    call_command("clearsessions")
