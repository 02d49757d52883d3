"""What a status may say."""

import unicodedata

import regex
from django.core.exceptions import ValidationError

MAX_LENGTH = 500
# One character on the screen can be many in memory (accents piled on accents); this bounds them.
MAX_CODE_POINTS = 8 * MAX_LENGTH

_characters = regex.compile(r"\X")
_blank_lines = regex.compile(r"\n{3,}")
_invisible = regex.compile(r"[\s\p{Cf}\p{Cc}]*")


def clean(text: str) -> str:
    """The text as it is stored. Raises ValidationError that says what is wrong with it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", text).strip()
    _refuse_control_characters(text)
    text = _blank_lines.sub("\n\n", text)
    if _invisible.fullmatch(text):
        raise ValidationError("A status needs some text.", code="empty")
    if len(text) > MAX_CODE_POINTS or length(text) > MAX_LENGTH:
        raise ValidationError(
            f"A status has at most {MAX_LENGTH} characters; this one has {length(text)}.",
            code="too_long",
        )
    return text


def length(text: str) -> int:
    """As people count: a flag, a family emoji or an é made of two code points is one character."""
    return sum(1 for _ in _characters.finditer(text))


def _refuse_control_characters(text: str) -> None:
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t":
            raise ValidationError(
                f"A status can't hold the control character U+{ord(character):04X}.",
                code="control_character",
            )
