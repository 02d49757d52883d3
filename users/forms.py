"""Forms of the account pages. `templates/_form.html` renders each of them."""

from typing import Any

from django import forms
from django.contrib.auth import forms as auth_forms
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from web.client_address import client_address

from . import throttling
from .audience import Visibility
from .login.devices import known_device
from .login.passwords import LONGEST
from .models import User
from .services import what_is_wrong
from .usernames import MAX_LENGTH

AUTOFOCUS = {"autofocus": True}
LONGEST_EMAIL = 254
# Nobody wants to say everything to those alone whom they happen to mention.
USUAL = (Visibility.PUBLIC, Visibility.UNLISTED, Visibility.FOLLOWERS)


class UsernameField(auth_forms.UsernameField):
    """Allows white space around a name, and the @ that people put before it."""

    def to_python(self, value: str | None) -> str:
        return str(super().to_python(value) or "").removeprefix("@")


class MultilineField(forms.CharField):
    """Counts a new line as one character, like the browser, which sends two."""

    widget = forms.Textarea(attrs={"rows": 4})

    def to_python(self, value: str | None) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")


class PasswordField(forms.CharField):
    def __init__(self, *, autocomplete: str, autofocus: bool = False, **options: Any) -> None:
        attributes = {"autocomplete": autocomplete} | (AUTOFOCUS if autofocus else {})
        widget = forms.PasswordInput(attrs=attributes)
        super().__init__(strip=False, max_length=LONGEST, widget=widget, **options)


class SignUpForm(forms.Form):
    """Says everything that is wrong at once: the shape of what was typed, and what the service
    thinks of the rest.
    """

    username = UsernameField(
        max_length=MAX_LENGTH,
        widget=forms.TextInput(attrs=AUTOFOCUS),
        help_text="1 to 30 letters, digits or _. This is how others find you.",
    )
    name = forms.CharField(
        label="Display name",
        max_length=50,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
        help_text="Optional. You can change it later.",
    )
    email = forms.EmailField(
        label="E-mail address",
        max_length=LONGEST_EMAIL,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="Never shown to others; we use it to reset a forgotten password.",
    )
    password = PasswordField(
        autocomplete="new-password", help_text=password_validators_help_text_html()
    )

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        names = {name: given.get(name, "") for name in ("username", "name", "email")}
        errors = what_is_wrong(User(**names), given.get("password", ""))
        for field in errors.keys() - self.errors.keys():
            self.add_error(field, errors[field])
        return given


class LoginForm(auth_forms.AuthenticationForm):
    request: HttpRequest

    username = UsernameField(
        label="Username or e-mail address",
        max_length=LONGEST_EMAIL,
        widget=forms.TextInput(attrs=AUTOFOCUS),
    )
    password = PasswordField(autocomplete="current-password")
    error_messages = {
        "invalid_login": (
            "This username and password do not match. An e-mail address works in place of the "
            "username once it is confirmed, if no other account has it."
        ),
    }

    def confirm_login_allowed(self, user: Any) -> None:
        """The backend has decided."""

    def clean(self) -> dict[str, Any]:
        username = self.cleaned_data.get("username")
        if not username or not self.cleaned_data.get("password"):
            return self.cleaned_data
        attempt = throttling.login_attempt(
            username=username,
            address=client_address(self.request),
            device=known_device(self.request, username),
        )
        with attempt:
            return super().clean()


class ProfileForm(forms.ModelForm[User]):
    bio = MultilineField(
        max_length=300, required=False, help_text="A few words about you, up to 300 characters."
    )

    class Meta:
        model = User
        fields = ["name", "bio", "likes_are_public"]
        labels = {"name": "Display name"}
        help_texts = {"name": "Shown beside your username. Up to 50 characters."}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "nickname"})}


class PrivacyForm(forms.Form):
    """Checks only the shape of the input; `services.change_privacy` judges the content."""

    is_private = forms.BooleanField(
        label="Private account",
        required=False,
        help_text="Only people you accept can follow you and see your posts.",
    )
    default_visibility = forms.TypedChoiceField(
        label="Who can see my posts",
        choices=[(it.value, f"{it.label}: {it.explanation}") for it in USUAL],
        coerce=int,
        widget=forms.RadioSelect,
        help_text="You can choose something else for each post.",
    )

    @classmethod
    def of(cls, user: User) -> "PrivacyForm":
        fields = ("is_private", "default_visibility")
        return cls(initial={name: getattr(user, name) for name in fields})


class PasswordChangeForm(auth_forms.PasswordChangeForm):
    old_password = PasswordField(
        label="Old password", autocomplete="current-password", autofocus=True
    )

    def clean_old_password(self) -> str:
        with throttling.password_check(user_id=self.user.pk):
            return super().clean_old_password()


class PasswordResetForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=LONGEST_EMAIL,
        widget=forms.EmailInput(attrs={"autocomplete": "email"} | AUTOFOCUS),
    )


class PasswordAgainForm(forms.Form):
    """Before something that a stranger at an open session must not do."""

    password = PasswordField(label="Your password", autocomplete="current-password", autofocus=True)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        self.user = user
        super().__init__(*args, **kwargs)

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        with throttling.password_check(user_id=self.user.pk):
            if not self.user.check_password(password):
                raise ValidationError("This is not your password.", code="wrong")
        return password
