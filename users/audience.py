"""Who a status is for. The numbers grow as the audience shrinks."""

from django.db import models


class Visibility(models.IntegerChoices):
    PUBLIC = 0, "Public"
    UNLISTED = 1, "Unlisted"
    FOLLOWERS = 2, "Followers"
    MENTIONED = 3, "Mentioned people only"

    @property
    def explanation(self) -> str:
        return EXPLANATIONS[self]


EXPLANATIONS = {
    Visibility.PUBLIC: "Everybody sees it, in explore and under its tags too.",
    Visibility.UNLISTED: "Everybody who finds it sees it, but it is listed nowhere.",
    Visibility.FOLLOWERS: "Only your followers see it, and the people it mentions.",
    Visibility.MENTIONED: "Only the people it mentions see it.",
}
