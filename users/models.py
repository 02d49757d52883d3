from collections.abc import Collection, Iterable
from typing import Any, Self

from django.contrib.auth.models import UserManager as DjangoUserManager
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models, transaction
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from web.languages import validate_language
from web.plain_text import validate_line, validate_lines
from web.refusals import Refusal

from .audience import Visibility
from .export.models import Export as Export
from .invitations.models import Invitation as Invitation
from .login.models import Session as Session
from .login.new_password import EndsAccess
from .names import index as name_index
from .names import resting
from .names.models import NameWord as NameWord
from .names.models import RestingName as RestingName
from .names.usernames import (
    MAX_LENGTH,
    validate_not_a_number,
    validate_not_reserved,
    validate_shape,
)
from .safety.models import Authenticator as Authenticator
from .safety.models import EmailChange as EmailChange
from .safety.models import RecoveryCode as RecoveryCode
from .safety.rights import Rights

NOT_AN_ADDRESS = _("Enter a valid e-mail address.")
NAME_IS_TAKEN = _("This username is taken.")
LEAVING = Q(leaving_at__isnull=False)


class Theme(models.TextChoices):
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class AccountGone(Refusal):
    """The account was deleted while it was writing: it is answered as if it were logged out."""

    def __init__(self) -> None:
        words = gettext("This account no longer exists.")
        super().__init__(words, code="account_gone", status=401)


class UserQuerySet(models.QuerySet["User"]):
    def named(self, names: Iterable[str]) -> Self:
        """In any case, by LOWER as in the constraint's index; `iexact` would read all rows."""
        folded = {name.lower() for name in names}
        return self.alias(folded=Lower("username")).filter(folded__in=folded)

    def who_may_log_in(self) -> Self:
        """Those who are leaving too: they may still change their mind."""
        is_leaving = Q(leaving_at__isnull=False, suspended_at__isnull=True)
        return self.filter(Q(is_active=True) | is_leaving)

    def beginning_with(self, prefix: str) -> Self:
        """By a range in the index, which `istartswith` does not use. No letter sorts after z."""
        first = prefix.lower()
        last = first + "z" * MAX_LENGTH
        return self.alias(folded=Lower("username")).filter(folded__gte=first, folded__lte=last)


class UserManager(DjangoUserManager["User"]):
    def get_queryset(self) -> UserQuerySet:
        return UserQuerySet(self.model, using=self._db)

    def named(self, names: Iterable[str]) -> UserQuerySet:
        return self.get_queryset().named(names)

    def get_by_natural_key(self, username: str | None) -> "User":
        """Case does not matter: Alice logs in as alice."""
        return self.named([username or ""]).get()


class User(EndsAccess, Rights):
    # What the fields are called is part of what people read about a password that is like them.
    username = models.CharField(
        _("username"),
        max_length=MAX_LENGTH,
        unique=True,
        validators=[validate_shape, validate_not_a_number, validate_not_reserved],
        help_text=_("1 to 30 letters, digits or _"),
        error_messages={"unique": NAME_IS_TAKEN},
    )
    name = models.CharField(
        _("display name"), max_length=50, blank=True, validators=[validate_line]
    )
    bio = models.CharField(max_length=300, blank=True, validators=[validate_lines])
    # Tokens, after which the files are named (`pictures/kinds.py`); empty: no picture.
    avatar = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    header = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    email = models.EmailField(_("e-mail address"), error_messages={"invalid": NOT_AN_ADDRESS})
    # Anybody can sign up with somebody else's address; following a mailed link proves whose it is.
    email_confirmed_at = models.DateTimeField(null=True, editable=False)
    # Part of the links that reset the password, so that only those in the last mail work.
    reset_mailed_at = models.DateTimeField(null=True, editable=False)
    is_staff = models.BooleanField(default=False, help_text="May enter the admin site.")
    # This and both dates are written only by `services`: `suspend`, `restore`, `request_deletion`
    # and `keep_account`.
    is_active = models.BooleanField(
        default=True,
        help_text="False while the account is suspended or leaving: then nobody sees it.",
    )
    suspended_at = models.DateTimeField(null=True, editable=False)
    # When the account will be deleted: its owner has asked for it.
    leaving_at = models.DateTimeField(null=True, editable=False)
    date_joined = models.DateTimeField(default=timezone.now)
    # Changed in the transactions that they count, so that nobody ever counts a million rows.
    followers_count = models.PositiveIntegerField(default=0, editable=False)
    following_count = models.PositiveIntegerField(default=0, editable=False)
    statuses_count = models.PositiveIntegerField(default=0, editable=False)
    listed_count = models.PositiveIntegerField(default=0, editable=False)
    # Only followers see what a private account says; who wants to follow has to ask.
    is_private = models.BooleanField(
        _("private account"),
        default=False,
        db_default=False,
        help_text=_("Only people you accept can follow you and see your posts."),
    )
    # By moderators: only followers see what the account says. Others are not told.
    is_silenced = models.BooleanField(default=False, db_default=False, editable=False)
    default_visibility = models.SmallIntegerField(
        _("who sees my posts"),
        choices=Visibility.choices,
        default=Visibility.PUBLIC,
        db_default=Visibility.PUBLIC,
    )
    likes_are_public = models.BooleanField(
        _("my likes are public"),
        default=True,
        db_default=True,
        help_text=_("Others find them on my profile."),
    )
    posts_are_searchable = models.BooleanField(
        _("my public posts can be searched"),
        default=True,
        db_default=True,
        help_text=_("Others find them by their words. You always find your own."),
    )
    # The newest notification that was seen, and how many came since.
    notifications_seen = models.BigIntegerField(default=0, db_default=0, editable=False)
    unread_notifications = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    # Warnings by moderators that the account has not acknowledged yet: pages show them.
    unread_warnings = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    # Kinds of notifications that are not wanted, separated by blanks.
    notifications_off = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False
    )
    login_notices = models.BooleanField(
        _("mail me about log-ins from new devices"), default=True, db_default=True
    )
    # Pages, and mails too; empty: as the browser says, and mails in the site's language.
    language = models.CharField(
        max_length=10, blank=True, default="", db_default="", validators=[validate_language]
    )
    # Empty: as the system says.
    theme = models.CharField(
        max_length=10, blank=True, default="", db_default="", choices=Theme.choices
    )
    # Of their last post, which the form for the next one suggests; empty: as the browser says.
    posting_language = models.CharField(
        max_length=35, blank=True, default="", db_default="", editable=False
    )
    # Keys such as `l` without Ctrl, which some people press by accident or with their voice.
    has_shortcuts = models.BooleanField(default=True, db_default=True)
    # Asked not to be shown the first steps any more (`users/first_steps.py`).
    first_steps_dismissed = models.BooleanField(default=False, db_default=False, editable=False)
    # Has too many followers for a fan-out: statuses are merged in when a follower reads.
    is_pulled = models.BooleanField(default=False, editable=False)

    objects = UserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["email"]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="username_unique_in_any_case",
                violation_error_message=NAME_IS_TAKEN,
            )
        ]
        indexes = [
            models.Index(Lower("email"), name="email_in_any_case"),
            # The few that Redis holds a list of; without these, all accounts are read to find them.
            models.Index(fields=["id"], condition=models.Q(is_active=False), name="user_suspended"),
            models.Index(fields=["id"], condition=models.Q(is_pulled=True), name="user_pulled"),
            models.Index(fields=["leaving_at"], condition=LEAVING, name="user_leaving"),
            # By which the admin lists them.
            models.Index(fields=["date_joined", "id"], name="user_joined"),
            models.Index(fields=["id"], condition=models.Q(is_staff=True), name="user_staff"),
            models.Index(fields=["id"], condition=models.Q(is_silenced=True), name="user_silenced"),
        ]

    def __str__(self) -> str:
        return f"@{self.username}"

    @property
    def is_suspended(self) -> bool:
        """By moderators. One who is leaving is hidden too, but may come back."""
        return not self.is_active and (self.leaving_at is None or self.suspended_at is not None)

    @property
    def is_followers_only(self) -> bool:
        return self.is_private or self.is_silenced

    def get_full_name(self) -> str:
        return self.name or self.username

    def get_short_name(self) -> str:
        return self.get_full_name()

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Normalising is slow, and a name that is too long is refused anyway."""
        if username and len(username) > MAX_LENGTH:
            return username
        return super().normalize_username(username)

    def clean_only(self, names: Collection[str]) -> None:
        """A name that became reserved later must not lock its owner out of the settings."""
        self.clean_fields(exclude={field.name for field in self._meta.fields} - set(names))

    def clean(self) -> None:
        super().clean()
        self.email = type(self).objects.normalize_email(self.email)

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Shows the message at the name, not at the top. A name that rests is taken, too."""
        try:
            super().validate_constraints(exclude)
        except ValidationError as error:
            raise ValidationError({"username": error.messages}) from error
        is_new = self._state.adding and "username" not in (exclude or ())
        if is_new and resting.rests(self.username):
            raise ValidationError({"username": [str(NAME_IS_TAKEN)]})

    def save(self, *args: Any, **kwargs: Any) -> None:
        """An update writes only what people may edit, and only if the row still exists.

        An object that was read earlier must not set counters back, undo a suspension (only
        `services` write `is_active`) or insert a deleted account again. Raises AccountGone.
        """
        if not self._state.adding and kwargs.get("update_fields") is None:
            columns = [c for c in self._meta.concrete_fields if c.editable and not c.primary_key]
            kwargs["update_fields"] = [c.name for c in columns if c.name != "is_active"]
        written = kwargs.get("update_fields")
        try:
            with transaction.atomic(savepoint=False):
                super().save(*args, **kwargs)
                if written is None or not {"name", "bio"}.isdisjoint(written):
                    name_index.write([self])
        except DatabaseError as error:
            # Databases raise subclasses; the class itself is Django's: there was no row to update.
            if type(error) is DatabaseError:
                raise AccountGone from error
            raise
