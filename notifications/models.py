"""Notifications: one row for everything of the same kind about the same subject."""

from typing import cast

from django.conf import settings
from django.db import models

from .grouping.kinds import KINDS, Group, Kind

LONGEST_ID = 19
# The newest actors are known by name; the others are counted.
ACTORS = 10


class Notification(models.Model):
    """A group (`kinds.Group`). What it says follows from likes, boosts, follows and statuses
    (`facts.py`); only the last two columns tell something of their own.
    """

    recipient = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="notifications",
    )
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in KINDS])
    subject = models.BigIntegerField()
    # From the newest event: orders the list, and is its cursor.
    position = models.BigIntegerField()
    count = models.PositiveIntegerField()
    # The ids of the newest, newest first, separated by blanks.
    actors = models.CharField(max_length=ACTORS * (LONGEST_ID + 1))
    # Rises with each piece of news for the recipient, in the order of the commits. A position does
    # not: the task of an older event may come after that of a newer one.
    arrived = models.BigIntegerField()
    # The position up to which it was read before the last news came. If that is taken back, the
    # rest is not unread.
    read_to = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "kind", "subject"], name="notification_group"
            )
        ]
        indexes = [
            models.Index(fields=["recipient", "-position"], name="notification_list"),
            models.Index(fields=["recipient", "-arrived"], name="notification_arrivals"),
            models.Index(fields=["recipient", "kind", "-position"], name="notification_by_kind"),
            models.Index(fields=["subject"], name="notification_by_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.recipient_id}"

    @property
    def group(self) -> Group:
        return Group(self.recipient_id, cast("Kind", self.kind), self.subject)
