"""Writing users: SQL first, then, after the commit, the serving copy in Redis."""

from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from pictures.kinds import PictureKind
from taskqueue import start

from . import events, store, tasks, throttling
from .invitations.services import refuse_sign_up, use_invitation
from .login import session_rows
from .models import Session, User
from .pictures.changing import Pictures, forget_former, save_files
from .rows import lock_account, lock_accounts
from .standing.account_deletion import remove_account
from .throttling import throttled

PROFILE_FIELDS = frozenset({"name", "bio", "likes_are_public"})
APPEARANCE_FIELDS = frozenset({"language", "theme"})
SAID = frozenset({"name", "bio"})
# What statuses hold of their author, and may change.
IN_STATUSES = frozenset({"name", "avatar"})
FINDABILITY_FIELDS = ("is_private", "posts_are_searchable")
PRIVACY_FIELDS = frozenset({*FINDABILITY_FIELDS, "default_visibility"})


@sensitive_variables("password")
def sign_up(
    *,
    username: str,
    email: str,
    password: str,
    name: str = "",
    language: str = "",
    address: str = "",
    invitation: str = "",
) -> User:
    """`address`: where the request comes from, if one does. `invitation`: the code of one, for a
    site that needs it.

    Raises Refusal, and ValidationError with everything that is wrong, field by field.
    """
    refuse_sign_up(invitation)  # before any work
    user = User(username=username, email=email, name=name, language=language)
    with throttling.successful_sign_up(address=address):
        return _new_account(user, password, invitation, address)


@sensitive_variables("password")
def _new_account(user: User, password: str, invitation: str, address: str) -> User:
    if errors := what_is_wrong(user, password):
        raise ValidationError(errors)
    events.about_to_use_email(user.email)
    events.about_to_publish(user, f"{user.username} {user.name}")
    user.set_password(password)  # slow on purpose, so outside the transaction
    try:
        with transaction.atomic():
            use_invitation(invitation)
            user.save(force_insert=True)
            events.names_changed(user.pk, [])
            events.about_to_join(user, address)
            events.described(user)
            transaction.on_commit(partial(store.refresh_users, [user.pk]))
            transaction.on_commit(partial(events.signed_up, user.pk), robust=True)
    except IntegrityError:
        # Someone took the name since we looked: look again, and say so.
        user.full_clean()
        raise
    return user


@sensitive_variables("password")
def what_is_wrong(user: User, password: str) -> dict[str, list[ValidationError]]:
    errors: dict[str, list[ValidationError]] = {}
    try:
        user.full_clean(exclude={"password"})
    except ValidationError as error:
        errors |= error.error_dict
    try:
        validate_password(password, user)
    except ValidationError as error:
        errors["password"] = error.error_list
    return errors


@throttled("profile", by="user")
def change_profile(
    *,
    user: User,
    name: str,
    bio: str,
    likes_are_public: bool | None = None,
    pictures: Pictures = MappingProxyType({}),
) -> None:
    """None leaves it as it is, and so do pictures that are not mentioned. Raises AccountGone."""
    user.name, user.bio = name, bio
    if likes_are_public is not None:
        user.likes_are_public = likes_are_public
    user.clean_only(PROFILE_FIELDS)
    events.about_to_publish(user, f"{name}\n{bio}")
    columns = save_files(user.pk, pictures)
    with transaction.atomic():
        # A form has already changed the user that we were given: only the row has the old name.
        before = lock_account(user)
        for column, token in columns.items():
            setattr(user, column, token)
        fields = PROFILE_FIELDS | columns.keys()
        changed = {it for it in fields if getattr(before, it) != getattr(user, it)}
        if changed:
            user.save(update_fields=changed)
            forget_former(before, columns)
            if not changed.isdisjoint(SAID):
                events.described(user)
            refresh_after_commit(user, renamed=not changed.isdisjoint(IN_STATUSES))


def remove_picture(*, user: User, kind: PictureKind) -> bool:
    columns = {kind.column: ""}
    with transaction.atomic():
        before = lock_accounts([user.pk]).get(user.pk)
        if before is None or not getattr(before, kind.column):
            return False
        User.objects.filter(pk=user.pk).update(**columns)
        forget_former(before, columns)
        refresh_after_commit(user, renamed=kind.column in IN_STATUSES)
    setattr(user, kind.column, "")
    return True


@throttled("privacy", by="user")
def change_privacy(
    *,
    user: User,
    is_private: bool,
    default_visibility: int,
    posts_are_searchable: bool | None = None,
) -> None:
    """Where a private account opens, all who asked follow. None leaves it as it is. Raises
    ValidationError, AccountGone.
    """
    user.is_private, user.default_visibility = is_private, default_visibility
    if posts_are_searchable is not None:
        user.posts_are_searchable = posts_are_searchable
    user.clean_only(PRIVACY_FIELDS)
    with transaction.atomic():
        before = lock_accounts([user.pk]).get(user.pk)
        user.save(update_fields=PRIVACY_FIELDS)
        refresh_after_commit(user, renamed=False)
        if before and before.is_private and not is_private:
            events.opened(user.pk)
        if before and any(getattr(before, it) != getattr(user, it) for it in FINDABILITY_FIELDS):
            events.findability_changed(user.pk)


@throttled("appearance", by="user")
def change_appearance(
    *, user: User, language: str, theme: str, has_shortcuts: bool | None = None
) -> None:
    """Empty: as the browser and the system say. Raises ValidationError and AccountGone."""
    user.language, user.theme = language, theme
    changed = set(APPEARANCE_FIELDS)
    if has_shortcuts is not None:
        user.has_shortcuts = has_shortcuts
        changed.add("has_shortcuts")
    user.clean_only(changed)
    user.save(update_fields=changed)


def remember_posting_language(*, user: User, language: str) -> None:
    if language != user.posting_language:
        User.objects.filter(pk=user.pk).update(posting_language=language)
        user.posting_language = language


@sensitive_variables("password")
@throttled("password", by="user")
def change_password(*, user: User, password: str) -> None:
    """Logs out everywhere, and revokes the access tokens (`login/new_password.py`)."""
    user.set_password(password)
    user.save()


def ask_to_confirm(*, user: User) -> None:
    throttling.count_confirmation_mail(mailbox=user.email)
    start.on_commit(tasks.mail_confirmation, user.pk)


def request_password_reset(*, email: str, address: str) -> None:
    """Nothing gives away whether an account has this address. Raises Refusal."""
    throttling.count_reset_mail(mailbox=email, address=address)
    tasks.request_password_reset(email=email)


def confirm_email(*, user: User) -> None:
    unconfirmed = User.objects.filter(pk=user.pk, email=user.email, email_confirmed_at=None)
    unconfirmed.update(email_confirmed_at=timezone.now())


def refresh_after_commit(user: User, *, renamed: bool) -> None:
    """At once, and reliably: if this process dies before it reaches Redis, a worker repeats it.

    Statuses hold only the names and the avatar of their author (`renamed`).
    """
    start.run_on_commit(tasks.refresh_user, user.pk)
    if renamed:
        events.renamed(user.pk)


def delete_account(*, user: User) -> None:
    """Deletes the account and everything of theirs at once. Doing it twice changes nothing."""
    remove_account(user)


def request_deletion(*, user: User) -> datetime | None:
    """Hides the account and logs it out; it is deleted after `DELETION_GRACE_DAYS`, unless its
    owner comes back (`keep_account`). Returns when; None if it is gone already.
    """
    if not settings.DELETION_GRACE_DAYS:
        delete_account(user=user)
        return None
    with transaction.atomic():
        row = lock_accounts([user.pk]).get(user.pk)
        if row is not None and row.leaving_at is None:
            at = timezone.now() + timedelta(days=settings.DELETION_GRACE_DAYS)
            _set_presence(row, suspended_at=row.suspended_at, leaving_at=at)
            session_rows.end(Session.objects.filter(user=row), reason="The account is leaving.")
            start.on_commit(tasks.mail_good_bye, row.pk)
    return row.leaving_at if row else None


def keep_account(*, user: User) -> bool:
    """Brings back one that is leaving; False if it was not. Raises AccountGone if too late."""
    with transaction.atomic():
        row = lock_account(user)
        if row.leaving_at is None:
            return False
        _set_presence(row, suspended_at=row.suspended_at, leaving_at=None)
    user.is_active, user.leaving_at = row.is_active, None
    return True


def suspend(*, user: User) -> bool:
    """Hides the account and everything of theirs, from everybody and at once, until `restore`.

    False if it was suspended already. Timelines, follows and counters stay as they are; sessions
    and tokens are refused, open streams end now. Callers decide who may.
    """
    return _set_suspended(user, timezone.now())


def restore(*, user: User) -> bool:
    """Shows a suspended account again, unless it is leaving. False if it was not suspended."""
    return _set_suspended(user, None)


def silence(*, user: User) -> bool:
    """Only followers see what the account says, until `unsilence`. Nobody is told.

    False if it was silenced already. Nothing is removed: it is back in explore and under tags
    afterwards.
    """
    return _set_silenced(user, is_silenced=True)


def unsilence(*, user: User) -> bool:
    return _set_silenced(user, is_silenced=False)


def _set_silenced(user: User, *, is_silenced: bool) -> bool:
    with transaction.atomic():
        row = User.objects.filter(pk=user.pk, is_silenced=not is_silenced)
        changed = bool(row.update(is_silenced=is_silenced))
        if changed:
            start.run_on_commit(tasks.refresh_user, user.pk)
            events.standing_changed(user.pk)
    user.is_silenced = is_silenced
    return changed


def _set_suspended(user: User, suspended_at: datetime | None) -> bool:
    with transaction.atomic():
        row = lock_accounts([user.pk]).get(user.pk)
        changed = row is not None and row.is_suspended is (suspended_at is None)
        if row is not None and changed:
            _set_presence(row, suspended_at=suspended_at, leaving_at=row.leaving_at)
    user.is_active = row.is_active if row else suspended_at is None
    return changed


def _set_presence(row: User, *, suspended_at: datetime | None, leaving_at: datetime | None) -> None:
    """Who is suspended or leaving is hidden; Redis hears of it after the commit."""
    row.suspended_at, row.leaving_at = suspended_at, leaving_at
    row.is_active = suspended_at is None and leaving_at is None
    row.save(update_fields=["suspended_at", "leaving_at", "is_active"])
    start.run_on_commit(tasks.sync_suspension, row.pk)
    events.standing_changed(row.pk)
