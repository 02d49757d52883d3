"""Tags, who follows them, and whose interests they are. Which statuses have a tag,
`statuses.models.Tagging` knows.
"""

from collections.abc import Collection, Mapping

from django.conf import settings
from django.db import models

from redistools.chunks import chunks
from web.sql.ready_sql import Row, numbered, ready, select, some


class TagQuerySet(models.QuerySet["Tag"]):
    def ensure(self, written: Mapping[str, str]) -> dict[str, int]:
        """Maps names to ids, and makes new tags. `written`: how they are spelled now, or empty
        where nobody has used the tag.
        """
        tags = _named(written)
        # Always in one order, so that no two transactions wait for each other.
        if missing := sorted(written.keys() - tags.keys()):
            new = [Tag(name=name, written=written[name]) for name in missing]
            self.bulk_create(new, ignore_conflicts=True)
            tags |= _named(missing)
        for name in sorted(name for name, (_, used) in tags.items() if written[name] and not used):
            self.filter(name=name, written="").update(written=written[name])
        return {name: pk for name, (pk, _) in tags.items()}


class Tag(models.Model):
    name = models.CharField(max_length=100, unique=True)
    # As somebody wrote it first; empty until then.
    written = models.CharField(max_length=100)
    # Posts that everybody may see and that have it, as counted last (`search`), and how many may
    # have come or gone since.
    uses = models.PositiveIntegerField(default=0, db_default=0)
    uncounted = models.PositiveIntegerField(default=0, db_default=0)

    objects = TagQuerySet.as_manager()

    def __str__(self) -> str:
        return f"#{self.written or self.name}"


@ready
def _by_name(count: int) -> models.QuerySet[Tag, Row]:
    return Tag.objects.filter(name__in=some(count)).values_list("name", "pk", "written")


def _named(names: Collection[str]) -> dict[str, tuple[int, str]]:
    """Ids and spellings. One query for each 500 names."""
    rows: list[Row] = []
    for part in chunks(names, 500):
        rows += select(_by_name(len(part)), **numbered(part))
    return {name: (pk, written) for name, pk, written in rows}


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


class Interest(models.Model):
    """A tag that somebody has put on their profile."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="interests",
    )
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, db_index=False, related_name="interests")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "tag"], name="interest_once")]
        # Who has a tag is read from the index alone.
        indexes = [models.Index(fields=["tag", "user"], name="interested_in_tag")]

    def __str__(self) -> str:
        return f"{self.user_id} is interested in tag {self.tag_id}"


class SpokenLanguage(models.Model):
    """A language that somebody says on their profile that they speak."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        db_index=False,
        related_name="spoken_languages",
    )
    code = models.CharField(max_length=10)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "code"], name="language_once")]
        indexes = [models.Index(fields=["code", "user"], name="speaks_language")]

    def __str__(self) -> str:
        return f"{self.user_id} speaks {self.code}"
