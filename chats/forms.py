from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from statuses.words.text import refuse_far_too_long
from users.models import User
from users.rows import named
from web.cursors import HIGHEST_ID
from web.text_fields import LineField

from .models import Chat, Preferences, WhoAdds

# That one form adds.
MOST_NAMES = 50


class MessageForm(forms.Form):
    text = forms.CharField(
        label=_("Message"),
        widget=forms.Textarea(
            attrs={
                "rows": 1,
                "dir": "auto",
                "aria-label": _("Message"),
                "placeholder": _("Message"),
            }
        ),
        error_messages={"required": _("Write something first.")},
        validators=[refuse_far_too_long],
    )
    reply_to = forms.IntegerField(
        required=False, min_value=1, max_value=HIGHEST_ID, widget=forms.HiddenInput
    )
    idempotency_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)


class NamesField(forms.CharField):
    """Usernames, with blanks or commas between them. Gives accounts."""

    def clean(self, value: Any) -> list[User]:
        text = super().clean(value)
        names = list(dict.fromkeys(it.lstrip("@") for it in text.replace(",", " ").split()))
        if len(names) > MOST_NAMES:
            raise ValidationError(gettext("At most %(most)s at once.") % {"most": MOST_NAMES})
        found = {it.username.lower(): it for it in named(names) if it.is_active}
        for name in names:
            if name.lower() not in found:
                raise ValidationError(gettext("No account named @%(name)s.") % {"name": name})
        return list(found.values())


def _names_field(**options: Any) -> NamesField:
    widget = forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"})
    return NamesField(max_length=31 * MOST_NAMES, widget=widget, **options)


class NewChatForm(forms.Form):
    people = _names_field(
        label=_("To"), help_text=_("One username for a chat of two, several for a group.")
    )
    title = LineField(
        label=_("Name of the group"),
        max_length=80,
        required=False,
        help_text=_("Only for a group. Up to 80 characters."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if len(cleaned.get("people", ())) > 1 and not cleaned.get("title"):
            self.add_error("title", gettext("Give the group a name."))
        return cleaned


class GroupForm(forms.Form):
    title = LineField(label=_("Name of the group"), max_length=80)
    who_adds = forms.TypedChoiceField(
        label=_("Who adds people"), coerce=int, choices=WhoAdds.choices, widget=forms.RadioSelect
    )

    @classmethod
    def of(cls, chat: Chat) -> "GroupForm":
        return cls(initial={"title": chat.title, "who_adds": chat.who_adds})


class AddForm(forms.Form):
    people = _names_field(label=_("Usernames"))


class PreferencesForm(forms.Form):
    who_writes = forms.TypedChoiceField(
        label=_("Who can write to you"),
        coerce=int,
        choices=Preferences.WhoWrites.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "Messages of people you don't follow wait as requests, unless everybody can write to "
            "you. Chats that have begun go on."
        ),
    )
