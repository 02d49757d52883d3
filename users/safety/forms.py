"""Forms about the safety of an account. `templates/_form.html` renders each of them."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .. import throttling
from ..forms import AUTOFOCUS, LONGEST_EMAIL, PasswordAgainForm, PasswordField
from ..models import User
from . import second_factor

LONGEST_CODE = 40


class CodeField(forms.CharField):
    def __init__(self, *, autofocus: bool = False, **options: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "spellcheck": "false"}
        widget = forms.TextInput(attrs=attributes | (AUTOFOCUS if autofocus else {}))
        super().__init__(label=_("Code"), max_length=LONGEST_CODE, widget=widget, **options)


class AppCodeForm(forms.Form):
    """The first code of a new authenticator app; `second_factor.confirm` judges it."""

    code = CodeField(autofocus=True, help_text=_("The six digits that your app shows now."))


class CodeForm(forms.Form):
    """The second step of a log-in."""

    code = CodeField(
        autofocus=True, help_text=_("The six digits that your app shows, or a recovery code.")
    )

    def __init__(self, user: User, *args: Any, device: str | None, **kwargs: Any) -> None:
        self.user, self.device = user, device
        super().__init__(*args, **kwargs)

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        check_code(self.user, code, device=self.device)
        return code


class ProofForm(PasswordAgainForm):
    """The password, and a code where two-factor log-in is on. A code is used up only together with
    the right password.
    """

    code = CodeField(help_text=_("The six digits that your app shows, or a recovery code."))

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        if not second_factor.is_on(user):
            del self.fields["code"]

    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if "password" in self.cleaned_data:
            check_code(self.user, code)
        return code


class NewEmailForm(PasswordAgainForm):
    email = forms.EmailField(
        label=_("New e-mail address"),
        max_length=LONGEST_EMAIL,
        widget=forms.EmailInput(attrs={"autocomplete": "email"} | AUTOFOCUS),
    )

    password = PasswordField(label=_("Your password"), autocomplete="current-password")
    field_order = ["email", "password"]


class NoticesForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["login_notices"]


def check_code(user: User, code: str, *, device: str | None = None) -> None:
    """Uses it up. Raises ValidationError and RateLimited."""
    with throttling.code_check(user_id=user.pk, device=device):
        if not second_factor.use(user=user, code=code):
            raise ValidationError(gettext("This code is wrong, or was used before."), code="wrong")
