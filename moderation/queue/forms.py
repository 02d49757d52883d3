from django import forms
from django.utils.translation import gettext_lazy as _

from web.text_fields import MultilineField

from ..categories import Category
from ..models import LONGEST
from .deciding import CHOICES
from .models import LONGEST_NOTE


class FilterForm(forms.Form):
    """Of the queue's address: a wrong value is refused."""

    category = forms.ChoiceField(
        label=_("Category"), choices=[("", _("All categories")), *Category.choices], required=False
    )
    whose = forms.ChoiceField(
        label=_("Held by"),
        choices=[("", _("Anybody")), ("mine", _("Me")), ("free", _("Nobody"))],
        required=False,
    )


class DecisionForm(forms.Form):
    """The page offers what would change something; the services decide about the rest."""

    choice = forms.ChoiceField(choices=[(name, it.title) for name, it in CHOICES.items()])
    reason = MultilineField(label=_("Reason"), max_length=LONGEST, required=False)
    # How many measures the page showed; without it, the services refuse.
    seen = forms.IntegerField(required=False)


class NoteForm(forms.Form):
    text = MultilineField(label=_("Add a note"), max_length=LONGEST_NOTE)
