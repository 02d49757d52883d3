from django import forms

from users.forms import UsernameField
from users.usernames import MAX_LENGTH

from .models import List


class ListForm(forms.Form):
    """Checks only the shape of the input; the services judge the content."""

    name = forms.CharField(max_length=50, help_text="Up to 50 characters.")
    is_private = forms.BooleanField(
        label="Private", required=False, help_text="Only you can see the list."
    )

    @classmethod
    def of(cls, list_: List) -> "ListForm":
        return cls(initial={"name": list_.name, "is_private": list_.is_private})


class MemberForm(forms.Form):
    username = UsernameField(label="Username", max_length=MAX_LENGTH + len("@"))
