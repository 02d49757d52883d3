"""Named lists of users. Homes have no table: they follow from the follows."""

from collections.abc import Collection

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from web.plain_text import validate_line


class List(models.Model):
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lists"
    )
    name = models.CharField(max_length=50)
    is_private = models.BooleanField(default=False, help_text="Only you can see the list.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                name="list_name_once_per_owner",
                violation_error_message=_("You have a list of this name already."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        super().clean_fields(exclude)
        try:
            validate_line(self.name)
        except ValidationError as error:
            raise ValidationError({"name": error}) from error


class ListMember(models.Model):
    list = models.ForeignKey(List, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="listed_in"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["list", "user"], name="list_member_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.list}"
