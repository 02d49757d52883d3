from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from web.text_fields import MultilineField

from .actions import Action
from .models import LONGEST, Category


class ReportForm(forms.Form):
    category = forms.ChoiceField(
        label=_("What is wrong?"), choices=Category.choices, widget=forms.RadioSelect
    )
    words = MultilineField(
        label=_("Anything that moderators should know"),
        max_length=LONGEST,
        required=False,
        help_text=_("Optional, unless you chose “Something else”. Up to 1,000 characters."),
    )


class MeasureForm(forms.Form):
    reason = MultilineField(max_length=LONGEST)
    closes_others = forms.BooleanField(
        label="Close all open reports about the same thing", required=False, initial=True
    )

    def __init__(self, action: Action, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        reason = self.fields["reason"]
        reason.required = action.needs_reason
        reason.help_text = (
            "They read these words. Don't say who reported them."
            if action.is_told
            else "Only moderators read this."
        )
