"""Forms of the account pages. `templates/_form.html` renders each of them."""

from typing import Any, NamedTuple, cast

from django import forms
from django.conf import settings
from django.contrib.auth import forms as auth_forms
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from pictures.cropping import WHOLE, Crop
from pictures.kinds import PictureKind
from pictures.making import Picture, make_picture
from web.body_limits import MEGABYTES_OF_FILE
from web.client_address import client_address
from web.text_fields import LineField, MultilineField

from . import throttling
from .audience import EXPLANATIONS, Visibility
from .login.devices import known_device
from .login.passwords import LONGEST
from .login.refusing import SUSPENDED
from .models import NOT_AN_ADDRESS, Theme, User
from .names.usernames import MAX_LENGTH
from .pictures.kinds import AVATAR, HEADER, PICTURES
from .services import what_is_wrong

AUTOFOCUS = {"autofocus": True}
LONGEST_EMAIL = 254
# Nobody wants to say everything to those alone whom they happen to mention.
USUAL = (Visibility.PUBLIC, Visibility.UNLISTED, Visibility.FOLLOWERS)
CHOICE = _("{choice}: {explanation}")


class UsernameField(auth_forms.UsernameField):
    """Allows white space around a name, and the @ that people put before it."""

    def to_python(self, value: str | None) -> str:
        return str(super().to_python(value) or "").removeprefix("@")


class PictureUpload(NamedTuple):
    file: UploadedFile[Any] | None
    crop: str  # as a script has written it; empty without one


class CropInput(forms.FileInput):
    def value_from_datadict(self, data: Any, files: Any, name: str) -> PictureUpload:
        file = super().value_from_datadict(data, files, name)
        return PictureUpload(file, data.get(f"{name}_crop", ""))


class PictureField(forms.FileField):
    widget = CropInput(attrs={"accept": "image/jpeg,image/png,image/webp,image/gif"})
    user_id = 0  # who uploads: set by the form

    def __init__(self, kind: PictureKind, **options: Any) -> None:
        super().__init__(required=False, allow_empty_file=True, **options)
        self.kind = kind

    def clean(self, data: Any, initial: Any = None) -> Picture | None:
        upload = super().clean(data.file, initial)
        if not upload:
            return None
        crop = Crop.read(data.crop) if data.crop else WHOLE
        throttling.count_picture(user_id=self.user_id)
        with throttling.one_picture(user_id=self.user_id):
            return make_picture(self.kind, upload, upload.size, crop)


def up_to_most(words: Any) -> Any:
    """For the help of such a field: `{most}` stands for the megabytes that it takes."""
    return format_lazy(words, most=MEGABYTES_OF_FILE)


class PasswordField(forms.CharField):
    def __init__(
        self, *, autofocus: bool = False, autocomplete: str = "current-password", **options: Any
    ) -> None:
        attributes = {"autocomplete": autocomplete} | (AUTOFOCUS if autofocus else {})
        widget = forms.PasswordInput(attrs=attributes)
        super().__init__(strip=False, max_length=LONGEST, widget=widget, **options)


class EmailField(forms.EmailField):
    default_error_messages = {"invalid": NOT_AN_ADDRESS}

    def __init__(self, *, autofocus: bool = False, **options: Any) -> None:
        attributes = {"autocomplete": "email"} | (AUTOFOCUS if autofocus else {})
        options = {"label": _("E-mail address")} | options
        widget = forms.EmailInput(attrs=attributes)
        super().__init__(max_length=LONGEST_EMAIL, widget=widget, **options)


class SignUpForm(forms.Form):
    username = UsernameField(
        label=_("Username"),
        max_length=MAX_LENGTH,
        widget=forms.TextInput(attrs=AUTOFOCUS),
        help_text=_("1 to 30 letters, digits or _. This is how others find you."),
    )
    name = LineField(
        label=_("Display name"),
        max_length=50,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
        help_text=_("Optional. You can change it later."),
    )
    email = EmailField(
        help_text=_("Never shown to others; we use it to reset a forgotten password."),
    )
    password = PasswordField(
        label=_("Password"),
        autocomplete="new-password",
        help_text=_("At least 10 characters. A few words are fine."),
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
        label=_("Username or e-mail address"),
        max_length=LONGEST_EMAIL,
        widget=forms.TextInput(attrs=AUTOFOCUS),
    )
    password = PasswordField(label=_("Password"))
    error_messages = {
        "invalid_login": _(
            "This username and password do not match. An e-mail address works in place of the "
            "username once it is confirmed, if no other account has it."
        ),
        SUSPENDED: _("This account is suspended."),
    }

    def confirm_login_allowed(self, user: Any) -> None:
        """Counts like a wrong password, so that nobody can try for longer here than elsewhere."""
        if user.is_suspended:
            raise ValidationError(self.error_messages[SUSPENDED], code=SUSPENDED)

    @property
    def suspended_account(self) -> User | None:
        is_suspended = self.has_error(NON_FIELD_ERRORS, SUSPENDED)
        return self.get_user() if is_suspended else None

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
        label=_("Bio"),
        max_length=300,
        required=False,
        help_text=_("A few words about you, up to 300 characters."),
    )
    new_avatar = PictureField(
        AVATAR,
        label=_("Picture"),
        help_text=up_to_most(
            _("Shown beside your posts. JPEG, PNG, WebP or GIF, up to {most} MB.")
        ),
    )
    remove_avatar = forms.BooleanField(label=_("Remove the picture"), required=False)
    new_header = PictureField(
        HEADER,
        label=_("Header"),
        help_text=up_to_most(
            _("Shown at the top of your profile, three times as wide as high. Up to {most} MB.")
        ),
    )
    remove_header = forms.BooleanField(label=_("Remove the header"), required=False)

    class Meta:
        model = User
        fields = ["name", "bio", "likes_are_public"]
        field_classes = {"name": LineField}
        labels = {"name": _("Display name")}
        help_texts = {"name": _("Shown beside your username. Up to 50 characters.")}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "nickname"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in PICTURES:
            cast("PictureField", self.fields[f"new_{kind.column}"]).user_id = self.instance.pk
            if not getattr(self.instance, kind.column):
                del self.fields[f"remove_{kind.column}"]

    @property
    def profile(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {name: given[name] for name in self.Meta.fields} | {"pictures": self._pictures()}

    def _pictures(self) -> dict[PictureKind, Picture | None]:
        """A new picture counts for more than the wish to have none."""
        given = self.cleaned_data
        removed = {kind: None for kind in PICTURES if given.get(f"remove_{kind.column}")}
        new = {kind: given[f"new_{kind.column}"] for kind in PICTURES}
        return removed | {kind: picture for kind, picture in new.items() if picture}


class PrivacyForm(forms.Form):
    """Checks only the shape of the input; `services.change_privacy` judges the content."""

    is_private = forms.BooleanField(
        label=_("Private account"),
        required=False,
        help_text=_("Only people you accept can follow you and see your posts."),
    )
    default_visibility = forms.TypedChoiceField(
        label=_("Who can see my posts"),
        choices=[
            (it.value, format_lazy(CHOICE, choice=it.label, explanation=EXPLANATIONS[it]))
            for it in USUAL
        ],
        coerce=int,
        widget=forms.RadioSelect,
        help_text=_("You can choose something else for each post."),
    )
    posts_are_searchable = forms.BooleanField(
        label=_("My public posts can be searched"),
        required=False,
        help_text=_("Others find them by their words. You always find your own."),
    )

    @classmethod
    def of(cls, user: User) -> "PrivacyForm":
        return cls(initial={name: getattr(user, name) for name in cls.base_fields})


class AppearanceForm(forms.Form):
    theme = forms.ChoiceField(
        label=_("Theme"),
        choices=[("", _("As on my device")), *Theme.choices],
        required=False,
        widget=forms.RadioSelect,
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=[("", _("As in my browser")), *settings.LANGUAGES],
        required=False,
        widget=forms.RadioSelect,
        help_text=_("Of the site and of the mails it sends you. Posts stay as they were written."),
    )

    has_shortcuts = forms.BooleanField(
        label=_("Single-key shortcuts"),
        required=False,
        help_text=_("Such as l to like a post. Ctrl+Enter works in any case."),
    )

    @classmethod
    def of(cls, user: User, given: QueryDict | None) -> "AppearanceForm":
        return cls(given, initial={name: getattr(user, name) for name in cls.base_fields})


def say_again(form: forms.BaseForm) -> None:
    again = form.fields["new_password2"]
    again.label, again.help_text = _("New password again"), ""


class PasswordResetForm(forms.Form):
    email = EmailField(autofocus=True)
