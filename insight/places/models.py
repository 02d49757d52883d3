"""The file that the operator loaded, as we keep it: the record from which Redis gets its ranges."""

from django.db import models


class Place(models.Model):
    """A number of two bytes for it, which never means another place. A country has no city."""

    number = models.PositiveIntegerField(primary_key=True)
    country = models.CharField(max_length=2)  # ISO 3166
    region = models.CharField(max_length=100, blank=True)
    city = models.CharField(max_length=100, blank=True)
    # Of the city, by language, where it is called something else than in English.
    names = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["country", "region", "city"], name="one_number_for_a_place"
            )
        ]

    def __str__(self) -> str:
        return ", ".join(filter(None, (self.city, self.region, self.country)))


class PlacesFile(models.Model):
    """There is one: the newest takes the place of the others."""

    name = models.CharField(max_length=255)
    loaded_at = models.DateTimeField(auto_now_add=True)
    ranges = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.name


class PlacesPart(models.Model):
    """Some thousand runs of one family, in order; compressed, in base 64."""

    file = models.ForeignKey(PlacesFile, on_delete=models.CASCADE)
    family = models.PositiveSmallIntegerField()
    content = models.TextField()

    def __str__(self) -> str:
        return f"part {self.pk} of {self.file_id}"
