from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from users.models import User
from web.text_fields import LineField

from .tokens import FIREHOSE, READ


class TokenForm(forms.Form):
    name = LineField(
        label=_("Name"), max_length=100, help_text=_("What it is for, such as “my bot”.")
    )
    firehose = forms.BooleanField(
        label=_("Every public post"), required=False, help_text=_("Opens the firehose stream too.")
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_staff:
            del self.fields["firehose"]

    def scopes(self) -> list[str]:
        return [READ, FIREHOSE] if self.cleaned_data.get("firehose") else [READ]
