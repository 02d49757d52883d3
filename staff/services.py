"""Giving roles and taking them away; each change is an entry of the audit log."""

from collections.abc import Callable, Collection

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from users.models import User
from users.rows import lock_account
from users.standing import stream_endings

from . import audit
from .models import Action, FirstAdministrator
from .roles import GROUPS, RIGHTS, Role, roles_of


def give_role(*, user: User, role: Role, by: User | None = None) -> bool:
    """False if they had it. `by`: nobody if it is the command line."""
    return _change(user, _give, role, by)


def take_role(*, user: User, role: Role, by: User | None = None) -> bool:
    """They stay staff if they have other rights. False if they did not have it."""
    return _change(user, _take, role, by)


def set_rights() -> None:
    """Gives each group what the table says, no more and no less: a new version may say otherwise,
    and somebody may have changed it by hand.
    """
    for role in GROUPS:
        _group(role)


def close_first_link() -> None:
    """There is an administrator: it stays closed, also when there is none any more."""
    FirstAdministrator.objects.filter(used_at=None).update(used_at=timezone.now())


def _change(user: User, change: Callable[[User, Role], None], role: Role, by: User | None) -> bool:
    with transaction.atomic():
        row = lock_account(user)
        before = roles_of(row)
        change(row, role)
        row.refresh_from_db(fields=["is_staff", "is_superuser"])
        user.is_staff, user.is_superuser = row.is_staff, row.is_superuser
        after = roles_of(row)
        if before != after:
            audit.write(Action.ROLE, row, by=by, changes=[audit.change("role", before, after)])
            # Some are open to staff alone; clients that may still listen reconnect.
            stream_endings.end_streams_of_user(user.pk)
    return before != after


def _give(user: User, role: Role) -> None:
    if role == Role.ADMINISTRATOR:
        User.objects.filter(pk=user.pk).update(is_superuser=True)
        close_first_link()
    else:
        user.groups.add(_group(role))
    _set_staff(user, is_staff=True)


def _take(user: User, role: Role) -> None:
    had_it = role in roles_of(user)
    if role == Role.ADMINISTRATOR:
        User.objects.filter(pk=user.pk).update(is_superuser=False)
    else:
        user.groups.remove(_group(role))
    if had_it and not _has_rights(user):
        _set_staff(user, is_staff=False)


def _has_rights(user: User) -> bool:
    is_superuser = User.objects.filter(pk=user.pk, is_superuser=True).exists()
    return is_superuser or user.groups.exists() or user.user_permissions.exists()


def _set_staff(user: User, *, is_staff: bool) -> None:
    User.objects.filter(pk=user.pk, is_staff=not is_staff).update(is_staff=is_staff)


def _group(role: Role) -> Group:
    group, _ = Group.objects.get_or_create(name=GROUPS[role])
    group.permissions.set(_permissions(RIGHTS[role]))
    return group


def _permissions(names: Collection[str]) -> list[Permission]:
    wanted = Q(pk__in=())
    for name in names:
        app, _, codename = name.partition(".")
        wanted |= Q(content_type__app_label=app, codename=codename)
    return list(Permission.objects.filter(wanted))
