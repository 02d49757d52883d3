"""Plain text mails, from `templates/users/mail/`, in the language of the account.

Each is sent once, however often its task runs (`taskqueue/once.py`).
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from email.utils import formataddr

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from configuration.current import site
from taskqueue.once import once

from .login.agents import described
from .login.mail_links import change_link, confirmation_link, reset_link
from .models import EmailChange, User


def send_confirmation(user: User) -> None:
    subject = _("Confirm your address on %(site)s")
    _send(user, subject, "confirm_email", link=confirmation_link(user), to=user.email)


def send_password_reset(users: Sequence[User]) -> None:
    """To the stored address, never to the typed one: their letters may differ."""
    # Not only the mail: replacing the links again would make the one that was sent useless.
    once(_name("password_reset", users[0]), lambda: _send_password_reset(users))


def _send_password_reset(users: Sequence[User]) -> None:
    _replace_older_links(users)
    _send_now(
        users[0],
        _("Reset your password on %(site)s"),
        "password_reset",
        accounts=[{"username": user.username, "link": reset_link(user)} for user in users],
        until=timezone.now() + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
        to=users[0].email,
    )


def _replace_older_links(users: Collection[User]) -> None:
    now = timezone.now()
    User.objects.filter(pk__in=[user.pk for user in users]).update(reset_mailed_at=now)
    for user in users:
        user.reset_mailed_at = now


def send_email_change(change: EmailChange) -> None:
    """The notice first: once the link is followed, nobody knows the old address."""
    user = change.user
    _send(user, _("A new address for your account on %(site)s"), "email_notice", to=user.email)
    subject = _("Confirm your new address on %(site)s")
    _send(user, subject, "email_change", link=change_link(change), to=change.email)


def send_login_notice(user: User, *, agent: str, address: str, at: datetime) -> None:
    subject = _("A new log-in to your account on %(site)s")
    link = settings.SITE_URL + reverse("sessions")
    with _in_language_of(user):
        device = described(agent)
    told = {"device": device, "address": address, "at": at, "link": link}
    _send_confirmed(user, subject, "login_notice", **told)


def send_recovery_notice(user: User, *, left: int) -> None:
    subject = _("A recovery code was used on %(site)s")
    link = settings.SITE_URL + reverse("two_factor")
    _send_confirmed(user, subject, "recovery_code_used", left=left, link=link)


def send_good_bye(user: User) -> None:
    subject = _("Your account on %(site)s will be deleted")
    link = settings.SITE_URL + reverse("login")
    _send_confirmed(user, subject, "good_bye", link=link, at=user.leaving_at)


def send_export_ready(user: User) -> None:
    subject = _("Your data from %(site)s is ready")
    link = settings.SITE_URL + reverse("export")
    _send_confirmed(user, subject, "export_ready", link=link)


def _send_confirmed(user: User, subject: StrOrPromise, template: str, **context: object) -> None:
    """Nobody knows whose address it is before it is confirmed: strangers learn nothing."""
    if user.email_confirmed_at is not None:
        _send(user, subject, template, to=user.email, **context)


def _send(user: User, subject: StrOrPromise, template: str, *, to: str, **context: object) -> None:
    once(_name(template, user), lambda: _send_now(user, subject, template, to=to, **context))


def _name(template: str, user: User) -> str:
    return f"mail {template} to {user.pk}"


def _send_now(
    user: User, subject: StrOrPromise, template: str, *, to: str, **context: object
) -> None:
    context |= {"user": user, "site_name": site().name}
    with _in_language_of(user):
        line = str(subject % {"site": site().name})
        text = render_to_string(f"users/mail/{template}.txt", context)
    send_mail(line, text, _sender(), [to])


def _sender() -> str:
    return settings.MAIL_SENDER or formataddr((site().name, settings.NO_REPLY))


def _in_language_of(user: User) -> translation.override:
    return translation.override(user.language or settings.LANGUAGE_CODE)
