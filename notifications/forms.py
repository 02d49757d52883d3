from django import forms

from users.models import User

from .kinds import KINDS, Kind

LABELS: dict[Kind, str] = {
    "mention": "Somebody mentions me",
    "reply": "Somebody replies to me",
    "boost": "Somebody boosts my posts",
    "like": "Somebody likes my posts",
    "follow": "Somebody follows me",
    "edit": "A post that I boosted is edited",
}


class KindsForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label="Notify me when",
        required=False,
        choices=[(kind, LABELS[kind]) for kind in KINDS],
        widget=forms.CheckboxSelectMultiple,
        help_text="What you have been notified of already stays.",
    )

    @classmethod
    def of(cls, user: User) -> "KindsForm":
        off = user.notifications_off.split()
        return cls(initial={"kinds": [kind for kind in KINDS if kind not in off]})
