from django import forms

from .models import Rule


class RuleForm(forms.ModelForm[Rule]):
    class Meta:
        model = Rule
        fields = ("kind", "pattern", "action", "category", "note")
        widgets = {"pattern": forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"})}
