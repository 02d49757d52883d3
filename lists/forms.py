from collections.abc import Iterable
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from users.forms import UsernameField
from users.names.usernames import MAX_LENGTH
from web.text_fields import LineField

from .models import List


class ListForm(forms.Form):
    name = LineField(label=_("Name"), max_length=50, help_text=_("Up to 50 characters."))
    is_private = forms.BooleanField(
        label=_("Private"), required=False, help_text=_("Only you can see the list.")
    )

    @classmethod
    def of(cls, list_: List) -> "ListForm":
        return cls(initial={"name": list_.name, "is_private": list_.is_private})


class SortingForm(forms.Form):
    lists = forms.TypedMultipleChoiceField(
        label=_("Your lists"), required=False, coerce=int, widget=forms.CheckboxSelectMultiple
    )
    name = LineField(
        label=_("New list"),
        max_length=50,
        required=False,
        help_text=_("Write a name to create a list with them in it."),
    )
    is_private = forms.BooleanField(
        label=_("The new list is private"), required=False, help_text=_("Only you can see it.")
    )

    def __init__(self, lists: Iterable[List], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(it.pk, it.name) for it in lists]
        cast("forms.TypedMultipleChoiceField", self.fields["lists"]).choices = choices
        if not choices:
            del self.fields["lists"]


class MemberForm(forms.Form):
    username = UsernameField(label=_("Username"), max_length=MAX_LENGTH + len("@"))
