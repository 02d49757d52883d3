"""What staff may do. A role is a group, and this table is all that decides what it may; an
administrator is a superuser, who may do everything.
"""

from django.db.models import TextChoices

from users.models import User


class Role(TextChoices):
    """From the one with most rights down."""

    ADMINISTRATOR = "administrator", "administrator"
    MODERATOR = "moderator", "moderator"
    SUPPORT = "support", "support"

    @property
    def in_a_sentence(self) -> str:
        return {Role.ADMINISTRATOR: "an administrator", Role.SUPPORT: "support"}.get(
            self, "a moderator"
        )


GROUPS = {Role.MODERATOR: "Moderators", Role.SUPPORT: "Support"}

# What is reported and what was done about it, accounts without their mail addresses, and posts that
# are for everybody or were reported.
LOOKS = (
    "moderation.view_report",
    "moderation.view_measure",
    "moderation.view_rule",
    "statuses.view_status",
    "users.view_user",
)
RIGHTS: dict[Role, tuple[str, ...]] = {
    Role.MODERATOR: (
        *LOOKS,
        *("moderation.change_report", "moderation.change_rule"),
        "statuses.delete_status",
    ),
    # Nothing but views: they answer questions, and change nothing.
    Role.SUPPORT: (
        *LOOKS,
        "insight.view_day",
        "insight.view_log",
        "insight.view_place",
        "taskqueue.view_failedtask",
    ),
}


def roles_of(user: User) -> list[Role]:
    named = set(user.groups.values_list("name", flat=True))
    held = [role for role, group in GROUPS.items() if group in named]
    return [Role.ADMINISTRATOR, *held] if user.is_superuser else held


def may_only_look(user: User) -> bool:
    if user.is_superuser:
        return False
    return all(_verb(permission) == "view" for permission in user.get_all_permissions())


def _verb(permission: str) -> str:
    return permission.partition(".")[2].partition("_")[0]
