import pytest
from django import forms
from django.core.exceptions import ValidationError

from web.forms import RefusalsIn


class NameForm(forms.Form):
    name = forms.CharField()


def valid_form() -> NameForm:
    form = NameForm({"name": "alice"})
    assert form.is_valid()
    return form


def test_the_form_says_what_a_service_refused() -> None:
    form = valid_form()
    with RefusalsIn(form):
        raise ValidationError("Not today.")
    assert not form.is_valid()
    assert form.non_field_errors() == ["Not today."]


def test_a_complaint_about_a_field_stands_there() -> None:
    form = valid_form()
    with RefusalsIn(form):
        raise ValidationError({"name": "No such account."})
    assert form.errors == {"name": ["No such account."]}


def test_other_errors_are_not_the_forms_business() -> None:
    form = valid_form()
    with pytest.raises(ZeroDivisionError), RefusalsIn(form):
        raise ZeroDivisionError
    assert form.is_valid()
