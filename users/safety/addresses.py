"""Changing the e-mail address of an account: only the mailbox itself can confirm it."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from taskqueue import start

from .. import events, tasks
from ..models import EmailChange, User
from ..rows import lock_account
from ..throttling import count_confirmation_mail, throttled


@throttled("email", by="user")
def ask_for_change(*, user: User, email: str) -> None:
    """Mails a link to the new address, and a notice to the one that the account has.

    An older wish is dropped, and its link with it. Raises ValidationError and AccountGone.
    """
    wanted = User.objects.normalize_email(email)
    User(email=wanted).clean_only(["email"])
    events.about_to_use_email(wanted)
    count_confirmation_mail(mailbox=wanted)
    with transaction.atomic():
        lock_account(user)
        if User.objects.filter(pk=user.pk, email=wanted).exists():
            raise ValidationError({"email": gettext("This is your address already.")}, code="same")
        fields = {"email": wanted, "asked_at": timezone.now()}
        EmailChange.objects.update_or_create(user=user, defaults=fields)
        start.on_commit(tasks.mail_email_change, user.pk)


def change_of(user: User) -> EmailChange | None:
    return EmailChange.objects.filter(user=user).first()


def drop_change(*, user: User) -> None:
    EmailChange.objects.filter(user=user).delete()


def confirm_change(*, change: EmailChange) -> bool:
    """False if another click was first, or the wish was dropped since."""
    with transaction.atomic():
        same = EmailChange.objects.filter(pk=change.pk, asked_at=change.asked_at)
        if not same.filter(email=change.email).delete()[0]:
            return False
        row = User.objects.filter(pk=change.user_id)
        row.update(email=change.email, email_confirmed_at=timezone.now())
    return True
