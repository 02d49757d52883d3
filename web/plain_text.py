"""What any text that people write may contain: statuses, names, bios; and how texts are compared.

Folded, all spellings of a word are the same. `exact` makes case and width the same, for streams,
tags and muted words: Straße is STRASSE. `plain` takes accents away too, for searches: Café is cafe.
Both change nothing that is folded already.
"""

import unicodedata

import regex
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

# They move a terminal's cursor, or can't be encoded.
_control = regex.compile(r"[\p{Cc}\p{Cs}--[\n\t]]", regex.VERSION1)
_new_line = regex.compile(r"[\n\t]")
# They are invisible or change the writing direction of what follows, so that one name passes for
# another. Joiners, direction marks and variation selectors are allowed: scripts and emoji need
# them. Tags belong in flags, such as Scotland's, and nowhere else.
_misleading = regex.compile(
    r"[\u00AD\u180E\u200B\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]"
    r"|[\U0001D173-\U0001D17A]"
    r"|(?<!\U0001F3F4[\U000E0020-\U000E007E]*)[\U000E0000-\U000E007F]"
)
# Fillers, joiners and the blank Braille pattern are invisible, but do not count as white space.
_invisible = regex.compile(r"[\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*")

# Accents and vowel points. The classes up to 9 make another letter: か and が.
_accents = regex.compile(
    r"[\p{M}--[\p{ccc=0}\p{ccc=1}\p{ccc=6}\p{ccc=7}\p{ccc=8}\p{ccc=9}]]+", regex.VERSION1
)
# Letters that Unicode does not take apart, and people type without their strokes.
_UNSTRUCK = str.maketrans(
    {"æ": "ae", "œ": "oe", "þ": "th", "\N{LATIN SMALL LETTER DOTLESS I}": "i"}
    | dict(zip("øłđħð", "oldhd", strict=True))
)

REPLACEMENT = "\ufffd"


def control_character(text: str) -> str | None:
    """The first one in the text; new lines and tabs are allowed."""
    found = _control.search(text)
    return found[0] if found else None


def is_invisible(text: str) -> bool:
    return bool(_invisible.fullmatch(text))


def validate_lines(text: str) -> None:
    _refuse(_control.search(text) or _misleading.search(text))
    if is_invisible(text):
        words = gettext("Nobody could see this: it has no visible character.")
        raise ValidationError(words, code="blank")


def validate_line(text: str) -> None:
    _refuse(_new_line.search(text))
    validate_lines(text)


def printable(text: str) -> str:
    """For a terminal. As long as the text itself, so that positions in it stay valid."""
    return str(_misleading.sub(REPLACEMENT, _control.sub(REPLACEMENT, text)))


def exact(text: str) -> str:
    """`Straße` becomes `strasse`; what is as wide as a Chinese sign becomes narrow."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def plain(text: str) -> str:
    """`Łukasz Müller` becomes `lukasz muller`."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", exact(text))
    return unicodedata.normalize("NFC", _accents.sub("", apart).translate(_UNSTRUCK))


def _refuse(found: regex.Match[str] | None) -> None:
    if found:
        words = gettext(
            "The character %(code)s can't be used here: "
            "it is invisible, or changes how the rest is shown."
        )
        raise ValidationError(words % {"code": f"U+{ord(found[0]):04X}"}, code="character")
