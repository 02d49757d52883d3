"""Forms about the safety of an account. `templates/_form.html` renders each of them."""

from typing import Any

from django import forms
from django.contrib.auth import forms as auth_forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .. import throttling
from ..forms import AUTOFOCUS, EmailField, PasswordField, say_again
from ..models import User
from . import second_factor

LONGEST_CODE = 40


class CodeField(forms.CharField):
    def __init__(self, *, autofocus: bool = False, **options: Any) -> None:
        attributes = {"autocomplete": "one-time-code", "spellcheck": "false"}
        widget = forms.TextInput(attrs=attributes | (AUTOFOCUS if autofocus else {}))
        super().__init__(label=_("Code"), max_length=LONGEST_CODE, widget=widget, **options)


class AppCodeForm(forms.Form):
    code = CodeField(autofocus=True, help_text=_("The six digits that your app shows now."))


class CodeForm(forms.Form):
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


class AsksForCode(forms.Form):
    """Uses a code up only if everything else is right: another one takes half a minute."""

    user: User
    code = CodeField(help_text=_("The six digits that your app shows, or a recovery code."))

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)
        if not second_factor.is_on(user):
            del self.fields["code"]

    def clean(self) -> dict[str, Any]:
        super().clean()
        if "code" in self.fields and not self.errors:
            try:
                check_code(self.user, self.cleaned_data["code"])
            except ValidationError as error:
                self.add_error("code", error)
        return self.cleaned_data


class ProofForm(AsksForCode):
    """Before what a stranger at an open session must not do: the password, and a code."""

    password = PasswordField(label=_("Your password"), autofocus=True)
    field_order = ["password", "code"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        with throttling.password_check(user_id=self.user.pk):
            if not self.user.check_password(password):
                raise ValidationError(gettext("This is not your password."), code="wrong")
        return password


class NewEmailForm(ProofForm):
    email = EmailField(label=_("New e-mail address"), autofocus=True)
    password = PasswordField(label=_("Your password"))
    field_order = ["email", "password", "code"]


class PasswordChangeForm(AsksForCode, auth_forms.PasswordChangeForm):
    old_password = PasswordField(label=_("Old password"), autofocus=True)
    field_order = ["old_password", "code", "new_password1", "new_password2"]

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, user, *args, **kwargs)  # each of the two takes one
        say_again(self)

    def clean_old_password(self) -> str:
        with throttling.password_check(user_id=self.user.pk):
            return super().clean_old_password()


class NoticesForm(forms.ModelForm[User]):
    class Meta:
        model = User
        fields = ["login_notices"]


def check_code(user: User, code: str, *, device: str | None = None) -> None:
    """Uses it up. Raises ValidationError and Refusal."""
    with throttling.code_check(user_id=user.pk, device=device):
        if not second_factor.use(user=user, code=code):
            raise ValidationError(gettext("This code is wrong, or was used before."), code="wrong")
