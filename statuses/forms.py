import hashlib
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from configuration.current import site
from users.audience import Visibility
from users.models import User
from web.cursors import HIGHEST_ID
from web.languages import OFFERED, own_name
from web.text_fields import LineField

from .visibility.predicate import usual_visibility
from .words.languages import shortened
from .words.text import refuse_far_too_long

PRIVATE_ACCOUNT = _(
    "Your account is private: apart from the people you mention, only followers see it."
)


class WordsInput(forms.Textarea):
    """Scripts count down from what the site allows now."""

    def build_attrs(
        self, base_attrs: dict[str, Any], extra_attrs: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        attributes: dict[str, Any] = super().build_attrs(base_attrs, extra_attrs)
        return attributes | {"data-longest": site().longest_post}


def _text_field(label: StrOrPromise) -> forms.CharField:
    """Has no `maxlength`: browsers count code units, so a flag would cost four characters."""
    words = {"rows": 1, "dir": "auto", "aria-label": label, "placeholder": label}
    return forms.CharField(
        label=label,
        widget=WordsInput(attrs=words),
        error_messages={"required": _("Write something first.")},
        validators=[refuse_far_too_long],
    )


def _warning_field() -> forms.CharField:
    return LineField(
        label=_("Content warning"),
        required=False,
        max_length=200,
        widget=forms.TextInput(
            attrs={
                "dir": "auto",
                "autocomplete": "off",
                "aria-label": _("Content warning"),
                "placeholder": _("Say what to expect; readers open the text themselves"),
            }
        ),
    )


class EditForm(forms.Form):
    text = _text_field(_("Your post"))
    warning = _warning_field()


class StatusForm(forms.Form):
    text = _text_field(_("What's happening?"))
    warning = _warning_field()
    visibility = forms.TypedChoiceField(
        label=_("Who can see it"),
        widget=forms.Select(attrs={"aria-label": _("Who can see it")}),
        required=False,
        choices=Visibility.choices,
        coerce=int,
        empty_value=None,
    )
    reply_to = forms.IntegerField(
        required=False, min_value=1, max_value=HIGHEST_ID, widget=forms.HiddenInput
    )
    language = forms.CharField(
        label=_("Language of this post"),
        required=False,
        max_length=35,
        widget=forms.Select(attrs={"aria-label": _("Language of this post")}),
    )
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
        text = self.fields["text"]
        # Links lead to the box itself: browsers focus it, with or without scripts.
        text.widget.attrs["id"] = "reply" if is_reply else "compose"
        if is_reply:
            label = text.label = _("Your reply")
            text.widget.attrs |= {"aria-label": label, "placeholder": label}

    def suggest_visibility(self, author: User, answered: int = Visibility.PUBLIC) -> None:
        usual = usual_visibility(author, answered)
        self.initial["visibility"] = usual
        if self.is_bound and "visibility" not in self.data:
            sent = {name: self.data[name] for name in self.data}
            self.data = sent | {"visibility": str(usual)}
        if author.is_private:
            self.fields["visibility"].help_text = PRIVATE_ACCOUNT

    def suggest_language(self, code: str, *, offers_all: bool = True) -> None:
        self.initial["language"] = code
        sent = shortened(str(self["language"].value() or "")) if self.is_bound else ""
        widget = cast("forms.Select", self.fields["language"].widget)
        own = [it for it in dict.fromkeys((sent, code)) if it] or [""]
        codes = dict.fromkeys([*own, *OFFERED]) if offers_all else own
        widget.choices = [(it, own_name(it) if it else _("Language")) for it in codes]
        if not offers_all:
            widget.attrs["data-codes"] = " ".join(OFFERED)

    def clean_language(self) -> str:
        return shortened(self.cleaned_data["language"])

    def clean(self) -> dict[str, Any]:
        """After going back in the browser, another text in the same form is another status."""
        key, text = self.cleaned_data.get("idempotency_key"), self.cleaned_data.get("text")
        if key and text:
            digest = hashlib.sha256(f"{key} {text}".encode())
            self.cleaned_data["idempotency_key"] = digest.hexdigest()
        return self.cleaned_data
