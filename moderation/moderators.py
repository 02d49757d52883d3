"""Who moderates: staff in the group of moderators."""

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q

from users.models import User
from users.standing import stream_endings

GROUP = "Moderators"
# They see accounts, but not their mail addresses, and change nothing that belongs to others.
RIGHTS = (
    ("moderation", "view_report"),
    ("moderation", "change_report"),
    ("moderation", "view_measure"),
    ("statuses", "view_status"),
    ("statuses", "delete_status"),
    ("users", "view_user"),
)


def make_moderator(*, user: User) -> bool:
    with transaction.atomic():
        group = _group()
        is_new = not user.groups.filter(pk=group.pk).exists()
        user.groups.add(group)
        _set_staff(user, is_staff=True)
    return is_new


def remove_moderator(*, user: User) -> bool:
    """They stay staff if they have other rights. Returns False if they were no moderator."""
    with transaction.atomic():
        was_one = user.groups.filter(name=GROUP).exists()
        user.groups.remove(_group())
        has_others = user.groups.exists() or user.user_permissions.exists() or user.is_superuser
        if was_one and not has_others:
            _set_staff(user, is_staff=False)
    return was_one


def _set_staff(user: User, *, is_staff: bool) -> None:
    """Ends streams that are open to staff alone; clients that may still listen reconnect."""
    if User.objects.filter(pk=user.pk, is_staff=not is_staff).update(is_staff=is_staff):
        stream_endings.end_streams_of_user(user.pk)
    user.is_staff = is_staff


def _group() -> Group:
    """Grants all its rights again: a new version may have added one."""
    group, _ = Group.objects.get_or_create(name=GROUP)
    wanted = Q()
    for app, codename in RIGHTS:
        wanted |= Q(content_type__app_label=app, codename=codename)
    group.permissions.set(Permission.objects.filter(wanted))
    return group
