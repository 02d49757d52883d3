"""Writing users: SQL first, and after its commit the serving copy in Redis."""

from functools import partial

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.views.decorators.debug import sensitive_variables

from taskqueue.outbox import enqueue_on_commit

from . import store, tasks
from .models import User

PROFILE_FIELDS = frozenset({"name", "bio"})


@sensitive_variables("password")
def sign_up(*, username: str, email: str, password: str, name: str = "") -> User:
    """Raises ValidationError that tells, field by field, everything that is wrong."""
    user = User(username=username, email=email, name=name)
    _validate(user, password)
    user.set_password(password)  # slow on purpose, so outside the transaction
    try:
        with transaction.atomic():
            user.save(force_insert=True)
            transaction.on_commit(partial(store.refresh_users, [user.pk]))
    except IntegrityError:
        # Someone took the name since we looked: looking again says so.
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


def change_profile(*, user: User, name: str, bio: str) -> None:
    user.name, user.bio = name, bio
    # Only these: a name that became reserved later must not lock its owner out of the profile.
    user.clean_fields(exclude={field.name for field in user._meta.fields} - PROFILE_FIELDS)
    with transaction.atomic():
        user.save(update_fields=PROFILE_FIELDS)
        refresh_after_commit(user)


def delete_account(*, user: User) -> None:
    """Take away the account and everything that is theirs. Doing it twice changes nothing."""
    with transaction.atomic():
        refresh_after_commit(user)
        User.objects.filter(pk=user.pk).delete()


def refresh_after_commit(user: User) -> None:
    """At once, and for certain: if this process dies on the way to Redis, a worker goes it again.

    A new account does without the worker: its hash is missing, not wrong, and is made when read.
    """
    transaction.on_commit(partial(store.refresh_users, [user.pk]))
    enqueue_on_commit(tasks.refresh_user, user.pk)
