"""Who a status is for. The numbers grow as the audience shrinks."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Visibility(models.IntegerChoices):
    PUBLIC = 0, _("Public")
    UNLISTED = 1, _("Unlisted")
    FOLLOWERS = 2, _("Followers only")
    MENTIONED = 3, _("Mentioned people only")

    @property
    def explanation(self) -> str:
        return str(EXPLANATIONS[self])


EXPLANATIONS = {
    Visibility.PUBLIC: _("Everybody sees it, in explore and under its tags too."),
    Visibility.UNLISTED: _("Everybody who finds it sees it, but it is listed nowhere."),
    Visibility.FOLLOWERS: _("Only your followers see it, and the people it mentions."),
    Visibility.MENTIONED: _("Only the people it mentions see it."),
}
