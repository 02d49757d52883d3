"""What was said, and what people did with it: statuses, likes, bookmarks, tags, mentions.

Rows that belong to a status have no constraint in the database: a popular status would take
thousands of them along in the request that deletes it. A task removes them afterwards.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from redistools.ids import IdSequence, time_of
from relations.models import Block, Follow
from tags.models import Tag
from users.audience import Reach, Visibility, reach_of
from web.plain_text import validate_line

if TYPE_CHECKING:
    from users.models import User

validate_language = RegexValidator(
    r"\A[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z", "A language is a code such as en or pt-BR."
)


class StatusQuerySet(models.QuerySet["Status"]):
    def newest_first(self) -> Self:
        return self.order_by("-id")

    def visible_to(self, viewer: "User | None") -> Self:
        """What `statuses.visibility.predicate.may_see` allows."""
        shown = self.filter(author__is_active=True)
        if viewer is None:
            return shown.filter(OPEN)
        follows = Follow.objects.filter(follower=viewer, followee=OuterRef("author"))
        named = Mention.objects.filter(user=viewer, status=OuterRef("pk"))
        blocks = Block.objects.filter(
            Q(blocker=viewer, blocked=OuterRef("author"))
            | Q(blocker=OuterRef("author"), blocked=viewer)
        )
        for_followers = Q(visibility__lte=Visibility.FOLLOWERS) & Exists(follows)
        allowed = Q(author=viewer) | OPEN | for_followers | Exists(named)
        return shown.filter(allowed).exclude(Exists(blocks))

    def in_timelines(self) -> Self:
        """Leaves out what is only for the people it mentions: no home, profile or list has it."""
        return self.filter(visibility__lt=Visibility.MENTIONED)

    def listed(self) -> Self:
        """What explore, tags and public streams may have."""
        return self.filter(OPEN, visibility=Visibility.PUBLIC, author__is_active=True)

    def with_names(self) -> Self:
        return self.select_related("author", "reply_to_author")

    def without_boosts(self) -> Self:
        return self.filter(boost_of__isnull=True)

    def without_replies(self) -> Self:
        """Keeps replies to oneself: a thread that an author goes on with."""
        return self.filter(Q(reply_to__isnull=True) | Q(reply_to_author=F("author")))

    def between(self, *, above: int | None = None, below: int | None = None) -> Self:
        bounds = Q() if above is None else Q(id__gt=above)
        return self.filter(bounds if below is None else bounds & Q(id__lt=below))


# What everybody may see, unless somebody is blocked.
OPEN = Q(visibility__lte=Visibility.UNLISTED, author__is_private=False, author__is_silenced=False)

# For references that do not keep a status from being deleted.
LOOSE: dict[str, Any] = {
    "on_delete": models.DO_NOTHING,
    "db_constraint": False,
    "db_index": False,
}


class Status(models.Model):
    """A short text by one author, or somebody's boost of one. Its id gives the time, orders
    timelines and serves as their cursor.
    """

    id = models.BigIntegerField(primary_key=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="statuses"
    )
    text = models.TextField(blank=True)
    # Folds the text away until a reader wants to see it.
    warning = models.CharField(
        max_length=200, blank=True, default="", db_default="", validators=[validate_line]
    )
    visibility = models.SmallIntegerField(
        choices=Visibility.choices, default=Visibility.PUBLIC, db_default=Visibility.PUBLIC
    )
    # By moderators, or by its author: pictures and text are covered at first.
    is_sensitive = models.BooleanField(default=False, db_default=False)
    language = models.CharField(max_length=35, blank=True, validators=[validate_language])
    latitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)]
    )
    longitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)]
    )
    created_at = models.DateTimeField(editable=False)
    changed_at = models.DateTimeField(null=True, editable=False)
    edited_at = models.DateTimeField(null=True, editable=False)
    # The status answered, its author, and the status that began it all. They may be gone by now.
    reply_to = models.ForeignKey("self", null=True, editable=False, related_name="replies", **LOOSE)
    reply_to_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, related_name="+", **LOOSE
    )
    thread = models.ForeignKey("self", null=True, editable=False, related_name="+", **LOOSE)
    # A boost has no text of its own.
    boost_of = models.ForeignKey("self", null=True, editable=False, related_name="boosts", **LOOSE)
    boost_of_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, editable=False, related_name="+", **LOOSE
    )
    # Changed in the transactions that they count.
    likes_count = models.IntegerField(default=0, db_default=0, editable=False)
    boosts_count = models.IntegerField(default=0, db_default=0, editable=False)
    replies_count = models.IntegerField(default=0, db_default=0, editable=False)
    # Changed with each of them, so that nobody writes older counters over newer ones.
    counts_version = models.IntegerField(default=0, db_default=0, editable=False)
    # Sent by the form, so that a double click posts once.
    idempotency_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001 - unique where given

    objects = StatusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "statuses"
        indexes = [
            models.Index(fields=["author", "-id"], name="status_by_author"),
            models.Index(
                fields=["reply_to", "id"],
                condition=Q(reply_to__isnull=False),
                name="status_replies",
            ),
            models.Index(
                fields=["boost_of", "id"],
                condition=Q(boost_of__isnull=False),
                name="status_boosts",
            ),
            models.Index(
                fields=["language", "-id"],
                condition=Q(reply_to__isnull=True, boost_of__isnull=True),
                name="status_by_language",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["author", "idempotency_key"], name="status_posted_once"
            ),
            models.UniqueConstraint(fields=["author", "boost_of"], name="status_boosted_once"),
            models.CheckConstraint(
                condition=Q(latitude__isnull=True, longitude__isnull=True)
                | Q(latitude__range=(-90, 90), longitude__range=(-180, 180)),
                name="status_coordinates_on_earth",
                violation_error_message="Give both latitude (±90) and longitude (±180), or none.",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80] if self.boost_of_id is None else f"boost of {self.boost_of_id}"

    def save(self, *args: object, **kwargs: object) -> None:
        self.created_at = time_of(self.id)
        super().save(*args, **kwargs)  # type: ignore[arg-type] # handed on as they came

    @property
    def reach(self) -> Reach:
        return reach_of(self.visibility, is_followers_only=self.author.is_followers_only)

    @property
    def counted_at(self) -> int | None:
        """The status whose counters include this one: answered or boosted by it."""
        return self.reply_to_id or self.boost_of_id

    @property
    def answered_username(self) -> str:
        """Of a row that was read `with_names`; empty where the account is gone."""
        answered: User | None = self._state.fields_cache.get("reply_to_author")
        return answered.username if answered else ""


class Gap(models.Model):
    """Where a status was that others had answered: it holds their thread together."""

    id = models.BigIntegerField(primary_key=True)
    reply_to = models.ForeignKey(Status, null=True, related_name="gaps", **LOOSE)

    class Meta:
        indexes = [
            models.Index(
                fields=["reply_to", "id"], condition=Q(reply_to__isnull=False), name="gap_replies"
            )
        ]

    def __str__(self) -> str:
        return f"deleted status {self.pk}"


class StatusVersion(models.Model):
    EDITED = ("text", "warning")

    status = models.ForeignKey(Status, related_name="versions", **LOOSE)
    text = models.TextField()
    warning = models.CharField(max_length=200, blank=True)
    # The fields of its parts (`parts.py`).
    parts = models.JSONField(default=dict, db_default={})
    written_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["status", "id"], name="version_by_status")]

    def __str__(self) -> str:
        return f"status {self.status_id} on {self.written_at:%Y-%m-%d %H:%M}"

    @property
    def said(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.EDITED}


class Like(models.Model):
    """The id tells when, and orders likes without a tie."""

    id = models.BigIntegerField(primary_key=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="likes"
    )
    status = models.ForeignKey(Status, related_name="likes", **LOOSE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "status"], name="like_once")]
        indexes = [
            models.Index(fields=["status", "-id"], name="like_by_status"),
            models.Index(fields=["user", "-id"], name="like_by_user"),
        ]

    def __str__(self) -> str:
        return f"{self.user} likes {self.status_id}"


class Bookmark(models.Model):
    """Nobody else sees it."""

    id = models.BigIntegerField(primary_key=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="bookmarks"
    )
    status = models.ForeignKey(Status, related_name="bookmarks", **LOOSE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "status"], name="bookmark_once")]
        indexes = [
            models.Index(fields=["status"], name="bookmark_by_status"),
            models.Index(fields=["user", "-id"], name="bookmark_by_user"),
        ]

    def __str__(self) -> str:
        return f"{self.user} keeps {self.status_id}"


class Tagging(models.Model):
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, db_index=False)
    status = models.ForeignKey(Status, related_name="taggings", **LOOSE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tag", "status"], name="tagged_once")]
        indexes = [models.Index(fields=["status"], name="tagging_by_status")]

    def __str__(self) -> str:
        return f"tag {self.tag_id} in status {self.status_id}"


class Mention(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="mentions"
    )
    status = models.ForeignKey(Status, related_name="mentions", **LOOSE)
    # The author of the status: whom somebody writes to is found without reading what they said.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, related_name="+", **LOOSE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "status"], name="mentioned_once")]
        indexes = [
            models.Index(fields=["status"], name="mention_by_status"),
            models.Index(fields=["author", "-status"], name="mention_by_author"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in status {self.status_id}"


def _highest_of(model: type[models.Model]) -> Callable[[], int]:
    return lambda: model._default_manager.aggregate(highest=models.Max("id"))["highest"] or 0


status_ids = IdSequence("status", floor=_highest_of(Status))
like_ids = IdSequence("like", floor=_highest_of(Like))
bookmark_ids = IdSequence("bookmark", floor=_highest_of(Bookmark))
