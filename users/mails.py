"""Mails to the people of the site: plain text, from `templates/users/mail/`."""

from collections.abc import Collection, Sequence
from datetime import timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from .login.mail_links import change_link, confirmation_link, reset_link
from .models import EmailChange, User


def send_confirmation(user: User) -> None:
    subject = f"Confirm your address on {settings.SITE_NAME}"
    _send(subject, "confirm_email", user=user, link=confirmation_link(user), to=user.email)


def send_password_reset(users: Sequence[User]) -> None:
    """To the stored address, never to the typed one: their letters may differ."""
    _replace_older_links(users)
    _send(
        f"Reset your password on {settings.SITE_NAME}",
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
    subject = f"A new address for your account on {settings.SITE_NAME}"
    _send(subject, "email_notice", user=user, to=user.email)
    subject = f"Confirm your new address on {settings.SITE_NAME}"
    _send(subject, "email_change", user=user, link=change_link(change), to=change.email)


def send_login_notice(user: User, *, device: str, address: str, at: str) -> None:
    subject = f"A new log-in to your account on {settings.SITE_NAME}"
    link = settings.SITE_URL + reverse("sessions")
    told = {"device": device, "address": address, "at": at, "link": link}
    _send_confirmed(user, subject, "login_notice", **told)


def send_recovery_notice(user: User, *, left: int) -> None:
    subject = f"A recovery code was used on {settings.SITE_NAME}"
    link = settings.SITE_URL + reverse("two_factor")
    _send_confirmed(user, subject, "recovery_code_used", left=left, link=link)


def send_good_bye(user: User) -> None:
    subject = f"Your account on {settings.SITE_NAME} will be deleted"
    link = settings.SITE_URL + reverse("login")
    _send_confirmed(user, subject, "good_bye", link=link, at=user.leaving_at)


def send_export_ready(user: User) -> None:
    subject = f"Your data from {settings.SITE_NAME} is ready"
    link = settings.SITE_URL + reverse("export")
    _send_confirmed(user, subject, "export_ready", link=link)


def _send_confirmed(user: User, subject: str, template: str, **context: object) -> None:
    """Nobody knows whose address it is before it is confirmed: strangers learn nothing."""
    if user.email_confirmed_at is not None:
        _send(subject, template, user=user, to=user.email, **context)


def _send(subject: str, template: str, *, to: str, **context: object) -> None:
    context["site_name"] = settings.SITE_NAME
    send_mail(subject, render_to_string(f"users/mail/{template}.txt", context), None, [to])
