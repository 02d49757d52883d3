from django import forms
from django.utils.translation import gettext_lazy as _

from web.text_fields import LineField

from .models import SavedSearch


class SearchNameForm(forms.Form):
    name = LineField(
        label=_("Name"),
        max_length=50,
        required=False,
        help_text=_("Up to 50 characters. Without a name, it is called by what it looks for."),
    )

    @classmethod
    def of(cls, search: SavedSearch) -> "SearchNameForm":
        return cls(initial={"name": search.name})
