"""How a setting is declared: by the field of a form that checks what people choose for it."""

from collections.abc import Callable
from dataclasses import field
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from .accent import NEEDED_CONTRAST, WHITE, Color

# Zero width, or turns the writing direction of what follows on the page.
UNSEEN = r"\u200b\u202a-\u202e\u2060-\u206f\ufeff"
# The name goes into the heads of mails.
validate_line = RegexValidator(
    rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{UNSEEN}]",
    _("Write it on one line, without control characters."),
    inverse_match=True,
)
validate_lines = RegexValidator(
    rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{UNSEEN}]",
    _("There is a control character in it."),
    inverse_match=True,
)


class Declared(NamedTuple):
    """`variable`: the one of the environment that wins where it is set, if there is one.

    `read`: the value that it stands for.
    """

    field: forms.Field
    group: StrOrPromise
    variable: str
    read: Callable[[Any], Any]


def declared(
    default: Any,
    group: StrOrPromise,
    field_: forms.Field,
    *,
    variable: str = "",
    read: Callable[[Any], Any] = lambda value: value,
) -> Any:
    about = Declared(field_, group, variable, read)
    return field(default=default, metadata={"declared": about})


def line(label: StrOrPromise, help_: StrOrPromise, *, most: int, required: bool = False) -> Any:
    return forms.CharField(
        label=label,
        help_text=help_,
        max_length=most,
        required=required,
        validators=[validate_line],
        widget=forms.TextInput(attrs={"class": "vTextField", "dir": "auto"}),
    )


def lines(label: StrOrPromise, help_: StrOrPromise, *, most: int, rows: int) -> Any:
    area = forms.Textarea(attrs={"class": "vLargeTextField", "dir": "auto", "rows": rows})
    return Lines(
        label=label,
        help_text=help_,
        max_length=most,
        required=False,
        validators=[validate_lines],
        widget=area,
    )


class Lines(forms.CharField):
    """A new line is one character, whatever browsers send."""

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n").replace("\r", "\n")


def number(label: StrOrPromise, help_: StrOrPromise, *, least: int, most: int) -> Any:
    return forms.IntegerField(label=label, help_text=help_, min_value=least, max_value=most)


def choice(label: StrOrPromise, help_: StrOrPromise, choices: Any) -> Any:
    return forms.ChoiceField(
        label=label,
        help_text=help_,
        choices=choices,
        widget=forms.RadioSelect(attrs={"class": "radiolist"}),
    )


def flag(label: StrOrPromise, help_: StrOrPromise) -> Any:
    return forms.BooleanField(label=label, help_text=help_, required=False)


def address(label: StrOrPromise, help_: StrOrPromise) -> Any:
    return forms.EmailField(
        label=label,
        help_text=help_,
        required=False,
        max_length=254,
        error_messages={"invalid": _("Enter a valid e-mail address.")},
        widget=forms.EmailInput(attrs={"class": "vTextField"}),
    )


def color(label: StrOrPromise, help_: StrOrPromise) -> Any:
    return forms.CharField(
        label=label,
        help_text=help_,
        required=False,
        max_length=7,
        validators=[_validate_color],
        widget=forms.TextInput(attrs={"placeholder": "#4f4fc4", "dir": "ltr"}),
    )


def _validate_color(written: str) -> None:
    try:
        contrast = Color.of(written).contrast_to(WHITE)
    except ValueError as error:
        raise ValidationError(gettext("Write a color like #4f4fc4."), code="color") from error
    if contrast < NEEDED_CONTRAST:
        words = gettext(
            "This color can't be read on white: its contrast is %(contrast)s to 1, and "
            "%(needed)s is needed. Choose a darker one."
        )
        numbers = {"contrast": f"{contrast:.2f}", "needed": NEEDED_CONTRAST}
        raise ValidationError(words % numbers, code="contrast")
