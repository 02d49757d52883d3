from typing import Any

from django import forms

from users.models import User

from .tokens import FIREHOSE, READ


class TokenForm(forms.Form):
    """`templates/_form.html` renders it."""

    name = forms.CharField(max_length=100, help_text="What it is for, such as “my bot”.")
    firehose = forms.BooleanField(
        label="Every public status", required=False, help_text="Opens the firehose stream too."
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_staff:
            del self.fields["firehose"]

    def scopes(self) -> list[str]:
        return [READ, FIREHOSE] if self.cleaned_data.get("firehose") else [READ]
