"""Work that nobody waits for."""

import json
from datetime import datetime, timedelta

from django.utils import timezone

from redistools import serving_copy
from redistools.sealing import seal, unseal
from taskqueue import start
from taskqueue.periodic import periodic
from taskqueue.task import task
from web.pages.page_versions import drop_all_pages_now

from . import mails, selectors, store
from .events import left
from .export import making
from .login import session_rows
from .models import EmailChange, User
from .names import resting
from .serving_copy import USERS
from .standing import account_deletion, stream_endings, suspension

# Anybody can sign up with somebody else's address: a mail lists no more accounts than this.
ACCOUNTS_PER_MAIL = 10


@task()
def refresh_user(user_id: int) -> None:
    store.refresh_users([user_id])
    drop_all_pages_now()


@task()
def sync_suspension(user_id: int) -> None:
    suspension.refresh([user_id])
    for user in User.objects.filter(pk=user_id, is_active=False):
        state = "suspended" if user.is_suspended else "leaving"
        stream_endings.end_streams_of_user(user_id, f"The account is {state}.")


def request_password_reset(*, email: str) -> None:
    """A mail that lists the accounts with this address.

    Without any, the same work is done for nothing, so that its duration gives nothing away.
    """
    accounts = selectors.by_email(email).who_may_log_in()[:ACCOUNTS_PER_MAIL]
    start.on_commit(mail_password_resets, [account.pk for account in accounts])


@task()
def mail_password_resets(user_ids: list[int]) -> None:
    # If the admin has disabled the password, a mail must not enable it again.
    accounts = User.objects.get_queryset().filter(pk__in=user_ids).who_may_log_in()
    users = selectors.confirmed_first(accounts)
    resettable = [user for user in users if user.has_usable_password()]
    for mailbox in dict.fromkeys(_mailbox(user) for user in resettable):
        mails.send_password_reset([user for user in resettable if _mailbox(user) == mailbox])


def _mailbox(user: User) -> str:
    """Case alone makes no other mailbox. Other letters may: the database takes K (Kelvin) for k."""
    return user.email.lower() if user.email.isascii() else user.email


@task()
def mail_confirmation(user_id: int) -> None:
    for user in User.objects.filter(pk=user_id, is_active=True, email_confirmed_at=None):
        mails.send_confirmation(user)


@task()
def mail_email_change(user_id: int) -> None:
    for change in EmailChange.objects.filter(user=user_id).select_related("user"):
        mails.send_email_change(change)


def notify_of_login(user: User, *, agent: str, address: str) -> None:
    """Sealed: where somebody logged in is for the owner alone, not for readers of the queue."""
    told = {"agent": agent, "address": address, "at": timezone.now().isoformat()}
    sealed = seal(json.dumps(told).encode(), owner=f"log-in notice {user.pk}")
    start.on_commit(mail_login_notice, user.pk, sealed)


@task()
def mail_login_notice(user_id: int, sealed: str) -> None:
    told = unseal(sealed, owner=f"log-in notice {user_id}")
    if told is None:  # nobody can read what was sealed with a SECRET_KEY that is gone
        return
    known = json.loads(told)
    at = datetime.fromisoformat(known["at"])
    for user in User.objects.filter(pk=user_id, login_notices=True):
        mails.send_login_notice(user, agent=known["agent"], address=known["address"], at=at)


@task()
def mail_recovery_notice(user_id: int) -> None:
    for user in User.objects.filter(pk=user_id):
        mails.send_recovery_notice(user, left=user.recovery_codes.count())


@task()
def mail_good_bye(user_id: int) -> None:
    for user in User.objects.filter(pk=user_id, leaving_at__isnull=False):
        mails.send_good_bye(user)


@task()
def mail_export_ready(user_id: int) -> None:
    for user in User.objects.filter(pk=user_id, export__file__gt=""):
        mails.send_export_ready(user)


@task()
def forget_sessions(digests: list[str]) -> None:
    session_rows.forget(digests)


@periodic(every=timedelta(hours=1))
@task()
def remove_expired_sessions() -> None:
    session_rows.remove_expired(timezone.now())


@periodic(every=timedelta(hours=1))
@task()
def remove_leaving_accounts() -> None:
    """One task for each, so that one that fails keeps nobody else's back."""
    for user_id in account_deletion.due_accounts(timezone.now()):
        once = remove_leaving_account.using(unique_key=f"removal of {user_id}")
        start.in_redis(once, user_id)


@task()
def remove_leaving_account(user_id: int) -> None:
    account_deletion.remove_if_due(user_id, now=timezone.now())


@task()
def forget_account(user_id: int) -> None:
    left(user_id)
    serving_copy.forget(USERS, [User(pk=user_id)])
    drop_all_pages_now()


@periodic(every=timedelta(days=1))
@task()
def forget_rested_names() -> None:
    resting.forget_rested(timezone.now())


@task()
def make_export(export_id: int) -> None:
    if user_id := making.make(export_id):
        start.on_commit(mail_export_ready, user_id)


@periodic(every=timedelta(hours=1))
@task()
def remove_old_exports() -> None:
    making.remove_old(timezone.now())
