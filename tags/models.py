"""Tags, and who follows them. Which statuses have a tag, `statuses.models.Tagging` knows."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models


class TagQuerySet(models.QuerySet["Tag"]):
    def ensure(self, written: Mapping[str, str]) -> dict[str, int]:
        """Maps names to ids, and makes new tags. `written`: how they are spelled now, or empty
        where nobody has used the tag.
        """
        tags = self.in_bulk(list(written), field_name="name")
        # Always in one order, so that no two transactions wait for each other.
        if missing := sorted(written.keys() - tags.keys()):
            new = [Tag(name=name, written=written[name]) for name in missing]
            self.bulk_create(new, ignore_conflicts=True)
            tags |= self.in_bulk(missing, field_name="name")
        for name in sorted(name for name, tag in tags.items() if written[name] and not tag.written):
            self.filter(name=name, written="").update(written=written[name])
        return {name: tag.pk for name, tag in tags.items()}


class Tag(models.Model):
    name = models.CharField(max_length=100, unique=True)
    # As somebody wrote it first; empty until then.
    written = models.CharField(max_length=100)

    objects = TagQuerySet.as_manager()

    def __str__(self) -> str:
        return f"#{self.written or self.name}"


class TagFollow(models.Model):
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="followed_tags",
    )
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="follows")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "tag"], name="tag_followed_once")]

    def __str__(self) -> str:
        return f"{self.user} follows tag {self.tag_id}"
