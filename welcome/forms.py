import re
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from tags.names import fold
from users.forms import PictureField, up_to_most
from users.models import User
from users.pictures.kinds import AVATAR
from web.text_fields import LineField, MultilineField

# In one form; an account follows at most `tags.services.MAX_TAGS`.
MOST_TAGS = 20

_between = re.compile(r"[\s,;#]+")


class IntroductionForm(forms.ModelForm[User]):
    new_avatar = PictureField(
        AVATAR,
        label=_("Photo"),
        help_text=up_to_most(_("Optional. JPEG, PNG, WebP or GIF, up to {most} MB.")),
    )
    bio = MultilineField(
        label=_("Bio"),
        max_length=300,
        required=False,
        help_text=_("A few words about you, up to 300 characters."),
    )

    class Meta:
        model = User
        fields = ["name", "bio"]
        field_classes = {"name": LineField}
        labels = {"name": _("Display name")}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "nickname"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("PictureField", self.fields["new_avatar"]).user_id = self.instance.pk

    @property
    def profile(self) -> dict[str, Any]:
        given = self.cleaned_data
        pictures = {AVATAR: given["new_avatar"]} if given["new_avatar"] else {}
        return {name: given[name] for name in self.Meta.fields} | {"pictures": pictures}


class TagsField(forms.MultipleChoiceField):
    """Any tags: those that rise change while a page is open."""

    def valid_value(self, value: str) -> bool:
        return bool(fold(value))


class InterestsForm(forms.Form):
    tags = TagsField(required=False)
    others = forms.CharField(
        label=_("Other tags"),
        max_length=300,
        required=False,
        widget=forms.TextInput(
            attrs={"autocapitalize": "none", "spellcheck": "false", "placeholder": "#birds #tea"}
        ),
        help_text=_("Separate them with spaces."),
    )
    # Off, since what one follows is nobody else's business.
    on_profile = forms.BooleanField(
        label=_("Put them on my profile too"),
        required=False,
        help_text=_(
            "Everybody can see them there, and people who look for these interests find you."
        ),
    )

    def wanted(self) -> list[str]:
        """By their folded names; what can't be a tag is left out."""
        typed = _between.split(self.cleaned_data["others"])
        found = [fold(it) for it in (*self.cleaned_data["tags"], *typed)]
        return [it for it in dict.fromkeys(found) if it][:MOST_TAGS]
