"""Who a status is for, and whose streams it comes to."""

from enum import IntEnum

from django.db import models
from django.utils.translation import gettext_lazy as _


class Visibility(models.IntegerChoices):
    """The numbers grow as the audience shrinks."""

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


class Reach(IntEnum):
    """Whose streams a status comes to: as a post, as an edit, and when it is deleted."""

    NOBODY = 0
    HOMES = 1  # those of followers
    EVERYBODY = 2


def reach_of(visibility: int, *, is_followers_only: bool) -> Reach:
    if visibility == Visibility.MENTIONED:
        return Reach.NOBODY
    return Reach.HOMES if is_followers_only or visibility != Visibility.PUBLIC else Reach.EVERYBODY
