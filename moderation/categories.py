"""What reports are about, how grave that is, and by when somebody should have decided."""

from datetime import timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _


class Category(models.TextChoices):
    SPAM = "spam", _("Spam")
    ABUSE = "abuse", _("Abuse or harassment")
    ILLEGAL = "illegal", _("Illegal content")
    IMPERSONATION = "impersonation", _("Pretends to be somebody else")
    HARM = "harm", _("Self-harm or violence")
    OTHER = "other", _("Something else")


class Gravity(models.IntegerChoices):
    MINOR = 1, _("Minor")
    SERIOUS = 2, _("Serious")
    GRAVE = 3, _("Grave")


GRAVITY = {
    Category.HARM: Gravity.GRAVE,
    Category.ILLEGAL: Gravity.GRAVE,
    Category.ABUSE: Gravity.SERIOUS,
    Category.IMPERSONATION: Gravity.SERIOUS,
    Category.SPAM: Gravity.MINOR,
    Category.OTHER: Gravity.MINOR,
}
DECIDED_WITHIN = {
    Gravity.GRAVE: timedelta(hours=1),
    Gravity.SERIOUS: timedelta(days=1),
    Gravity.MINOR: timedelta(days=3),
}
