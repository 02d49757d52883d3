"""Who to whom: follows and requests to follow, blocks, mutes."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from redistools.ids import IdSequence, time_of
from web.plain_text import validate_line


class Follow(models.Model):
    """The id contains the time, and orders follows without ties."""

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


class FollowRequest(models.Model):
    """A request to follow a private account. Becomes a follow with the same id."""

    id = models.BigIntegerField(primary_key=True)
    follower = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="requests_made"
    )
    followee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="requests_got",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "followee"], name="request_once")
        ]
        indexes = [models.Index(fields=["followee", "-id"], name="request_by_followee")]

    def __str__(self) -> str:
        return f"{self.follower} would like to follow {self.followee}"

    @property
    def created_at(self) -> datetime:
        return time_of(self.id)


class Block(models.Model):
    blocker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks_made"
    )
    blocked = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks_got"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["blocker", "blocked"], name="block_once")]

    def __str__(self) -> str:
        return f"{self.blocker} blocks {self.blocked}"


class Temporary(models.Model):
    until = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class Mute(Temporary):
    """The muted account does not learn of it."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mutes_made"
    )
    muted = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "muted"], name="mute_once")]

    def __str__(self) -> str:
        return f"{self.user} mutes {self.muted}"


class ThreadMute(Temporary):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="thread_mutes"
    )
    # The status that began it, which may be gone by now.
    thread = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "thread"], name="thread_mute_once")]

    def __str__(self) -> str:
        return f"{self.user} mutes thread {self.thread}"


class MutedWord(Temporary):
    class Action(models.TextChoices):
        HIDE = "hide", _("Hide the post")
        FOLD = "fold", _("Fold the post away")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="muted_words"
    )
    phrase = models.CharField(max_length=100, validators=[validate_line])
    action = models.CharField(max_length=4, choices=Action.choices, default=Action.HIDE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "phrase"], name="word_muted_once")]

    def __str__(self) -> str:
        return f"{self.user} mutes “{self.phrase}”"


def _highest_follow_id() -> int:
    highest = [table._default_manager.aggregate(it=models.Max("id"))["it"] for table in EDGES]
    return max(it or 0 for it in highest)


EDGES = (Follow, FollowRequest)
follow_ids = IdSequence("follow", floor=_highest_follow_id)
