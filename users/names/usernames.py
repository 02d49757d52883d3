"""What a username may be."""

from string import digits

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MAX_LENGTH = 30
PATTERN = r"[A-Za-z0-9_]{1,30}"

validate_shape = RegexValidator(
    rf"\A{PATTERN}\Z", _("A username has 1 to 30 letters, digits or _."), code="shape"
)

# Words that are paths of the site, could pass for its staff, or mean nobody.
RESERVED = frozenset(
    """
    about account accounts admin administrator anonymous api apps auth blog contact developers
    everyone explore firehose followers following groups healthz help home here jobs list lists
    login logout mail media mention mentions messages mod moderator moderators news nobody
    notifications null oauth official password policy postmaster privacy profile root rules
    search security settings signin signout signup site socialsite staff static status statuses
    streaming support system tag tags terms timeline timelines undefined user users webmaster
    you
    """.split()
)


# Digits that pass for letters; 1 is read both ways.
_READINGS = [str.maketrans("013457", "oieast"), str.maketrans("013457", "oleast")]


def validate_not_reserved(username: str) -> None:
    """Nor anything that looks like a reserved name: _admin, a_d_m_i_n, admin2, adm1n."""
    if _look_alikes(username.lower()) & RESERVED:
        words = gettext("The username “%(username)s” is reserved; choose another.")
        raise ValidationError(words % {"username": username}, code="reserved")


def validate_not_a_number(username: str) -> None:
    """Programs pass an id or a name in the same parameter."""
    if username.isdecimal():
        raise ValidationError(gettext("A username needs at least one letter or _."), code="number")


def _look_alikes(name: str) -> set[str]:
    bare = name.replace("_", "")
    return {name, bare, bare.strip(digits), *(bare.translate(reading) for reading in _READINGS)}
