from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from web.text_fields import LineField

from ..models import MutedWord

DURATIONS = {
    "ever": None,
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
CHOICES = [
    ("ever", _("For ever")),
    ("hour", _("1 hour")),
    ("day", _("1 day")),
    ("week", _("1 week")),
]


class UntilField(forms.ChoiceField):
    def __init__(self, **options: Any) -> None:
        super().__init__(label=_("For how long"), choices=CHOICES, required=False, **options)

    def clean(self, value: Any) -> datetime | None:
        duration = DURATIONS[super().clean(value) or "ever"]
        return None if duration is None else timezone.now() + duration


class MuteForm(forms.Form):
    until = UntilField()


class WordForm(forms.Form):
    phrase = LineField(
        label=_("Word, tag or phrase"),
        max_length=100,
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
        help_text=_(
            "Whole words in any case: “cat” also finds “Cat” and “#cat”, not “concatenate”."
        ),
    )
    action = forms.ChoiceField(
        label=_("What to do with posts that have it"),
        choices=MutedWord.Action.choices,
        initial=MutedWord.Action.HIDE,
        widget=forms.RadioSelect,
    )
    until = UntilField()
