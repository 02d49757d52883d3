import hashlib
from typing import Any

from django import forms

from web.cursors import HIGHEST_ID

from .languages import shortened
from .text import MAX_LENGTH, refuse_far_too_long


class StatusForm(forms.Form):
    """Checks only the shape of the input; `services.post_status` judges the content.

    The text has no `maxlength`: browsers count code units, so a flag would cost four characters.
    """

    text = forms.CharField(
        label="What is happening?",
        widget=forms.Textarea(attrs={"rows": 3, "class": "compose-text", "dir": "auto"}),
        help_text=f"Up to {MAX_LENGTH} characters.",
        error_messages={"required": "A status needs some text."},
        validators=[refuse_far_too_long],
    )
    warning = forms.CharField(
        label="Content warning",
        required=False,
        max_length=200,
        help_text="Folds the text away until a reader wants to see it.",
    )
    reply_to = forms.IntegerField(
        required=False, min_value=1, max_value=HIGHEST_ID, widget=forms.HiddenInput
    )
    language = forms.CharField(required=False, max_length=35, widget=forms.HiddenInput)
    latitude = forms.FloatField(required=False, widget=forms.HiddenInput)
    longitude = forms.FloatField(required=False, widget=forms.HiddenInput)
    idempotency_key = forms.CharField(
        required=False,
        max_length=64,
        empty_value=None,
        widget=forms.HiddenInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, *args: Any, is_reply: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_reply = is_reply
        if is_reply:
            self.fields["text"].label = "Your reply"

    def clean_language(self) -> str:
        return shortened(self.cleaned_data["language"])

    def clean(self) -> dict[str, Any]:
        """After going back in the browser, another text in the same form is another status."""
        key, text = self.cleaned_data.get("idempotency_key"), self.cleaned_data.get("text")
        if key and text:
            digest = hashlib.sha256(f"{key} {text}".encode())
            self.cleaned_data["idempotency_key"] = digest.hexdigest()
        return self.cleaned_data
