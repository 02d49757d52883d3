from django import forms
from django.utils.translation import gettext_lazy as _

from .models import Rule


class RuleForm(forms.ModelForm[Rule]):
    class Meta:
        model = Rule
        fields = ("kind", "pattern", "action", "category", "note")
        help_texts = {
            "pattern": _(
                "A word; shop.example, with all below it; eve@mail.example or mail.example; "
                "192.0.2.0/24."
            )
        }
        widgets = {"pattern": forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"})}
