"""What a status may say."""

import unicodedata

import regex
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, ngettext

from configuration.current import site
from web.plain_text import control_character, is_invisible

# One character on the screen can be many in memory (piled accents); this bounds them. Everything
# that holds or searches texts relies on it, however long the site lets them be.
MAX_CODE_POINTS = 4_000

_characters = regex.compile(r"\X")
_blank_lines = regex.compile(r"\n(?:[^\S\n]*\n){2,}")


def clean(text: str) -> str:
    """The text as it is stored. Raises ValidationError, which says what is wrong with it."""
    refuse_far_too_long(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    _refuse_control_characters(text)
    text = _blank_lines.sub("\n\n", text.strip())
    if is_invisible(text):
        raise ValidationError(gettext("Write something first."), code="empty")
    text = unicodedata.normalize("NFC", text)
    _refuse_too_long(text)
    return text


def length(text: str) -> int:
    """As people count: a flag, a family emoji or an é made of two code points is one character."""
    return len(text) if text.isascii() else sum(1 for _ in _characters.finditer(text))


def refuse_far_too_long(text: str) -> None:
    """Before any other work: normalising is quadratic in combining marks, and no other thread
    runs meanwhile.
    """
    if len(text) > MAX_CODE_POINTS:
        raise ValidationError(
            gettext("A post has at most %(most)s characters; this one is far longer.")
            % {"most": site().longest_post},
            code="too_long",
        )


def _refuse_control_characters(text: str) -> None:
    if found := control_character(text):
        raise ValidationError(
            gettext("A post can't hold the control character %(code)s.")
            % {"code": f"U+{ord(found):04X}"},
            code="control_character",
        )


def _refuse_too_long(text: str) -> None:
    most = site().longest_post
    if (over := length(text) - most) > 0:
        raise ValidationError(
            ngettext(
                "%(over)s character too long: a post has at most %(most)s characters.",
                "%(over)s characters too long: a post has at most %(most)s characters.",
                over,
            )
            % {"most": most, "over": over},
            code="too_long",
        )
