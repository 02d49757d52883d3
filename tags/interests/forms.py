import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from users.models import User
from web.languages import OFFERED, own_name

from ..names import MAX_LENGTH
from .selectors import interests_of
from .services import MOST_INTERESTS

_between = re.compile(r"[\s,;#]+")


def split_tags(text: str) -> list[str]:
    """However people separate them."""
    return [it for it in _between.split(text) if it]


class ProfileInterestsForm(forms.Form):
    """Checks only the shape of the input; `services.change_interests` judges the content."""

    tags = forms.CharField(
        label=_("Interests"),
        required=False,
        max_length=MOST_INTERESTS * (MAX_LENGTH + 2),
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "spellcheck": "false", "placeholder": "#python #birds"}
        ),
        help_text=_("Up to ten tags, separated by spaces."),
    )
    languages = forms.MultipleChoiceField(
        label=_("Languages you speak"),
        required=False,
        choices=[(code, own_name(code)) for code in OFFERED],
        widget=forms.CheckboxSelectMultiple,
    )

    @classmethod
    def of(cls, user: User, given: Any) -> "ProfileInterestsForm":
        had = interests_of(user)
        initial = {
            "tags": " ".join(map(str, had.tags)),
            "languages": [it.code for it in had.languages],
        }
        return cls(given, initial=initial)

    @property
    def interests(self) -> dict[str, list[str]]:
        given = self.cleaned_data
        return {"names": split_tags(given["tags"]), "languages": given["languages"]}
