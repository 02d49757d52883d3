"""Writing users: SQL first, then, after the commit, the serving copy in Redis."""

from functools import partial

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from statuses.tasks import name_author_on_commit
from taskqueue.outbox import run_on_commit

from . import endings, store, tasks
from .leaving import leave
from .models import User
from .selectors import may_suspend

PROFILE_FIELDS = frozenset({"name", "bio", "likes_are_public"})


@sensitive_variables("password")
def sign_up(*, username: str, email: str, password: str, name: str = "") -> User:
    """Raises ValidationError with everything that is wrong, field by field."""
    user = User(username=username, email=email, name=name)
    _validate(user, password)
    user.set_password(password)  # slow on purpose, so outside the transaction
    try:
        with transaction.atomic():
            user.save(force_insert=True)
            transaction.on_commit(partial(store.refresh_users, [user.pk]))
    except IntegrityError:
        # Someone took the name since we looked: look again, and say so.
        user.full_clean()
        raise
    return user


@sensitive_variables("password")
def _validate(user: User, password: str) -> None:
    errors: dict[str, list[ValidationError]] = {}
    try:
        user.full_clean(exclude={"password"})
    except ValidationError as error:
        errors |= error.error_dict
    try:
        validate_password(password, user)
    except ValidationError as error:
        errors["password"] = error.error_list
    if errors:
        raise ValidationError(errors)


def change_profile(
    *, user: User, name: str, bio: str, likes_are_public: bool | None = None
) -> None:
    """None leaves it as it is."""
    user.name, user.bio = name, bio
    if likes_are_public is not None:
        user.likes_are_public = likes_are_public
    # Only these: a name that became reserved later must not lock its owner out of the profile.
    user.clean_fields(exclude={field.name for field in user._meta.fields} - PROFILE_FIELDS)
    with transaction.atomic():
        # A form has already changed the user that we were given: only the row has the old name.
        before = User.objects.select_for_update(no_key=True).filter(pk=user.pk).first()
        if before and all(getattr(before, it) == getattr(user, it) for it in PROFILE_FIELDS):
            return
        user.save(update_fields=PROFILE_FIELDS)
        refresh_after_commit(user, renamed=before is None or before.name != name)


def confirm_email(*, user: User) -> None:
    """Following a link proves that the person reads the mailbox. Twice changes nothing."""
    unconfirmed = User.objects.filter(pk=user.pk, email=user.email, email_confirmed_at=None)
    unconfirmed.update(email_confirmed_at=timezone.now())


def refresh_after_commit(user: User, *, renamed: bool) -> None:
    """At once, and reliably: if this process dies before it reaches Redis, a worker repeats it.

    Of their author, statuses hold only the names. A new account needs no worker: its hash is
    missing, not wrong, and is made when it is read.
    """
    run_on_commit(tasks.refresh_user, user.pk)
    if renamed:
        name_author_on_commit(user.pk)


def delete_account(*, user: User) -> None:
    """Delete the account and everything of theirs. Doing it twice changes nothing."""
    with transaction.atomic():
        leave(user)
        User.objects.filter(pk=user.pk).delete()
        endings.end_streams_of_user(user.pk, "The account is deleted.")


def suspend(*, user: User, by: User | None = None) -> bool:
    """Hide the account and everything of theirs, from everybody and at once, until `restore`.

    False if it was suspended already. Raises PermissionDenied. Nothing is removed: timelines,
    follows and counters stay as they are. Until then sessions and tokens are refused; open streams
    end now.
    """
    return _set_active(user, is_active=False, by=by)


def restore(*, user: User, by: User | None = None) -> bool:
    """Show a suspended account again. Returns and raises like `suspend`."""
    return _set_active(user, is_active=True, by=by)


def silence(*, user: User) -> bool:
    """Only followers see what the account says, until `unsilence`. Nobody is told.

    False if it was silenced already. Like `suspend` it removes nothing; what was in explore and
    under tags is back there afterwards.
    """
    return _set_silenced(user, is_silenced=True)


def unsilence(*, user: User) -> bool:
    """False if it was not silenced."""
    return _set_silenced(user, is_silenced=False)


def _set_silenced(user: User, *, is_silenced: bool) -> bool:
    with transaction.atomic():
        row = User.objects.filter(pk=user.pk, is_silenced=not is_silenced)
        changed = bool(row.update(is_silenced=is_silenced))
        if changed:
            run_on_commit(tasks.refresh_user, user.pk)
    user.is_silenced = is_silenced
    return changed


def _set_active(user: User, *, is_active: bool, by: User | None) -> bool:
    if by is not None and not may_suspend(by, user):
        raise PermissionDenied(f"You may not suspend or restore {user}.")
    with transaction.atomic():
        row = User.objects.filter(pk=user.pk, is_active=not is_active)
        changed = bool(row.update(is_active=is_active))
        if changed:
            run_on_commit(tasks.settle_suspension, user.pk)
    user.is_active = is_active
    return changed
