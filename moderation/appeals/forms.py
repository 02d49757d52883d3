from django import forms
from django.utils.translation import gettext_lazy as _

from web.text_fields import MultilineField

from .models import LONGEST


class AppealForm(forms.Form):
    words = MultilineField(
        label=_("Why should we decide differently?"),
        max_length=LONGEST,
        help_text=_("You can appeal once. Somebody else than the one who decided reads it."),
    )


class AnswerForm(forms.Form):
    decision = forms.ChoiceField(
        label=_("Decision"),
        choices=[("accept", _("Accept the appeal")), ("refuse", _("Refuse the appeal"))],
        widget=forms.RadioSelect,
    )
    words = MultilineField(
        label=_("Your answer"),
        max_length=LONGEST,
        required=False,
        help_text=_("They read it. To refuse, say why. Don't say who reported them."),
    )
