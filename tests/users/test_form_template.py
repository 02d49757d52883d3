from django import forms
from django.template.loader import render_to_string
from django.test import RequestFactory


class Sample(forms.Form):
    text = forms.CharField(help_text="Any text.")
    choice = forms.ChoiceField(
        choices=[("a", "A"), ("b", "B")], widget=forms.RadioSelect, help_text="Either."
    )
    secret = forms.CharField(widget=forms.HiddenInput, initial="x")

    def clean(self) -> None:
        raise forms.ValidationError("Not like <this>.")


def rendered(form: forms.Form) -> str:
    return render_to_string("_form.html", {"form": form}, RequestFactory().get("/"))


def test_every_field_has_its_label_and_its_help() -> None:
    html = rendered(Sample())
    assert '<label for="id_text">Text</label>' in html
    assert 'aria-describedby="id_text_helptext"' in html
    assert 'id="id_text_helptext">Any text.' in html
    assert "<legend>Choice</legend>" in html
    assert '<fieldset class="field" aria-describedby="id_choice_helptext">' in html
    assert '<input type="hidden" name="secret" value="x"' in html
    assert "csrfmiddlewaretoken" in html


def test_errors_are_tied_to_their_field() -> None:
    html = rendered(Sample({}))
    assert 'aria-describedby="id_text_helptext id_text_error"' in html
    assert 'id="id_text_error"' in html
    assert 'aria-invalid="true"' in html
    assert "Not like &lt;this&gt;." in html
