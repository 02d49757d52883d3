"""The figures that outlive Redis: a small row for each day, and for each week of sign-ups. And the
log, which does not.
"""

from django.db import models
from django.utils import timezone

from .places.models import Place as Place
from .places.models import PlacesFile as PlacesFile
from .places.models import PlacesPart as PlacesPart


class Day(models.Model):
    """Of today, so far. Figures only rise: what Redis loses, a row keeps."""

    date = models.DateField(primary_key=True)
    visitors = models.PositiveIntegerField(default=0)  # about; with members
    members = models.PositiveIntegerField(default=0)
    # By the names of counters without labels (`figures.py`).
    counts = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.date.isoformat()


class Cohort(models.Model):
    """The accounts of one week, and how many of them were here in the weeks since."""

    monday = models.DateField(primary_key=True)
    # Ids rise with time, so these weeks are ranges of ids.
    first_id = models.BigIntegerField()
    signed_up = models.PositiveIntegerField(default=0)
    active = models.JSONField(default=dict)  # by the Monday of the week in which they were here

    def __str__(self) -> str:
        return f"sign-ups since {self.monday.isoformat()}"


class Deploy(models.Model):
    """A version of the code that began to run here. Numbers have no gaps: so two processes that
    notice the same one at once write one row.
    """

    number = models.PositiveIntegerField(primary_key=True)
    version = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.version}, {self.at:%Y-%m-%d %H:%M}"


class Log(models.Model):
    """Gives the log, which is in Redis, a permission and a place in the admin's menu."""

    id = models.CharField(primary_key=True, max_length=40)  # `<severity>:<id of the message>`

    class Meta:
        managed = False
        default_permissions = ("view",)

    def __str__(self) -> str:
        return self.id
