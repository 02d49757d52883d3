from django import forms
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from users.models import User

from .grouping.kinds import ALWAYS_TOLD, KINDS, Kind

LABELS: dict[Kind, StrOrPromise] = {
    "mention": _("Somebody mentions me"),
    "reply": _("Somebody replies to me"),
    "boost": _("Somebody boosts my posts"),
    "like": _("Somebody likes my posts"),
    "follow": _("Somebody follows me"),
    "edit": _("A post that I boosted is edited"),
    "request": _("Somebody asks to follow me"),
    "report": _("Moderators decide about my report"),
    "search": _("A saved search that notifies me finds new posts"),
}


class KindsForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label=_("Notify me when"),
        required=False,
        choices=[(kind, LABELS[kind]) for kind in KINDS if kind not in ALWAYS_TOLD],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("What you have been notified of already stays."),
    )

    @classmethod
    def of(cls, user: User) -> "KindsForm":
        off = user.notifications_off.split()
        return cls(initial={"kinds": [kind for kind in KINDS if kind not in off]})
