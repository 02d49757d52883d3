"""What a password may be: validators for AUTH_PASSWORD_VALIDATORS, in addition to Django's."""

from functools import partial

from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from configuration.current import site
from web.languages import grouped

from ..models import User
from .guessing import is_guessable

SHORTEST = 10
# Hashing reads all of it.
LONGEST = 1_000
# How many characters must be left without the names.
SECRET_CHARACTERS = 6
# Django's list of leaked passwords has few words of people who type in Pinyin.
PINYIN = frozenset(
    """
    baobei beijing chuntian dongtian guangzhou kuaile mima nihao qinaide qiutian shanghai shenzhen
    woaini xiatian xihuan zhongguo
    """.split()
)
# Shorter names turn up in any password.
SHORTEST_NAME = 3


class LengthValidator:
    def validate(self, password: str, user: User | None = None) -> None:  # noqa: ARG002 - Django's
        if not SHORTEST <= len(password) <= LONGEST:
            raise ValidationError(self.get_help_text(), code="length")

    def get_help_text(self) -> str:
        return gettext(
            "Your password must have at least %(shortest)s and at most %(longest)s characters."
        ) % {"shortest": SHORTEST, "longest": grouped(LONGEST)}


class NamesValidator:
    """Attackers try the names of the person and the site first."""

    def validate(self, password: str, user: User | None = None) -> None:
        rest = password[:LONGEST].casefold()
        for name in sorted(_names(user), key=len, reverse=True):
            rest = rest.replace(name, "")
        if len(rest) < min(SECRET_CHARACTERS, len(password)):
            raise ValidationError(self.get_help_text(), code="names")

    def get_help_text(self) -> str:
        return gettext(
            "Your password can't be just your names or the site's with a few characters added."
        )


class GuessableValidator(CommonPasswordValidator):
    """Leaked passwords as they are, and with what people add to them."""

    def validate(self, password: str, user: User | None = None) -> None:
        super().validate(password, user)
        guessable = partial(is_guessable, password[:LONGEST], least=SECRET_CHARACTERS)
        if any(guessable(words=words) for words in (self.passwords, PINYIN, _names(user))):
            raise ValidationError(self.get_help_text(), code="guessable")

    def get_help_text(self) -> str:
        return gettext(
            "Your password can't be a common word with digits or signs around it, or keys in a "
            "row. A few words together are better."
        )


def _names(user: User | None) -> set[str]:
    mine = (user.username, user.name, user.email) if user else ()
    texts = [text for text in (site().name, *mine) if text]
    words = {word for text in texts for word in (text, *text.replace("@", " ").split())}
    return {word.casefold() for word in words if len(word) >= SHORTEST_NAME}
