"""Who to whom: follows."""

from datetime import datetime

from django.conf import settings
from django.db import models

from redistools.ids import IdSequence, time_of


class Follow(models.Model):
    """One account follows another. The id contains the time, and orders follows without ties."""

    id = models.BigIntegerField(primary_key=True)
    follower = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows_made"
    )
    followee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="follows_got",
    )
    hides_boosts = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "followee"], name="follow_once"),
            models.CheckConstraint(
                condition=~models.Q(follower=models.F("followee")), name="follow_somebody_else"
            ),
        ]
        indexes = [models.Index(fields=["followee", "-id"], name="follow_by_followee")]

    def __str__(self) -> str:
        return f"{self.follower} follows {self.followee}"

    @property
    def created_at(self) -> datetime:
        return time_of(self.id)


def _highest_follow_id() -> int:
    return Follow.objects.aggregate(highest=models.Max("id"))["highest"] or 0


follow_ids = IdSequence("follow", floor=_highest_follow_id)
