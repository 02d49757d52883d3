"""What was said: statuses."""

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from redistools.ids import IdSequence, time_of

if TYPE_CHECKING:
    from users.models import User

validate_language = RegexValidator(
    r"\A[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z", "A language is a code such as en or pt-BR."
)


class StatusQuerySet(models.QuerySet["Status"]):
    def newest_first(self) -> Self:
        return self.order_by("-id")

    def visible_to(self, viewer: "User | None") -> Self:  # noqa: ARG002 - as in `may_see`
        """What `statuses.visibility.may_see` allows."""
        return self.filter(author__is_active=True)

    def between(self, *, above: int | None = None, below: int | None = None) -> Self:
        """Ids strictly between two cursors, either of which may be None."""
        bounds = Q() if above is None else Q(id__gt=above)
        return self.filter(bounds if below is None else bounds & Q(id__lt=below))


class Status(models.Model):
    """A short text by one author. Its id contains the time, orders timelines and pages them."""

    id = models.BigIntegerField(primary_key=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="statuses"
    )
    text = models.TextField()
    language = models.CharField(max_length=35, blank=True, validators=[validate_language])
    latitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)]
    )
    longitude = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)]
    )
    created_at = models.DateTimeField(editable=False)
    # Sent by the form, so that a double click posts once.
    idempotency_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001 - unique where given

    objects = StatusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "statuses"
        indexes = [models.Index(fields=["author", "-id"], name="status_by_author")]
        constraints = [
            models.UniqueConstraint(
                fields=["author", "idempotency_key"], name="status_posted_once"
            ),
            models.CheckConstraint(
                condition=Q(latitude__isnull=True, longitude__isnull=True)
                | Q(latitude__range=(-90, 90), longitude__range=(-180, 180)),
                name="status_coordinates_on_earth",
                violation_error_message="Give both latitude (±90) and longitude (±180), or none.",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:80]

    def save(self, *args: object, **kwargs: object) -> None:
        self.created_at = time_of(self.id)
        super().save(*args, **kwargs)  # type: ignore[arg-type] # handed on as they came


def _highest_id() -> int:
    return Status.objects.aggregate(highest=models.Max("id"))["highest"] or 0


status_ids = IdSequence("status", floor=_highest_id)
