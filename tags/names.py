"""What a tag is. Case and width don't matter: #Tea and #TEA are one tag."""

import regex

from web.plain_text import exact

MAX_LENGTH = 100

# Letters, digits and _, with at least one letter: #1 is a number.
PATTERN = r"\w*\p{L}\w*"

_tag = regex.compile(PATTERN)
_gaps = regex.compile(r"\W+")


def fold(written: str) -> str:
    """The name under which all spellings of a tag are found; empty for what can't be a tag.

    Idempotent. The length comes first: normalising long texts is slow.
    """
    if len(written) > MAX_LENGTH or not _tag.fullmatch(written):
        return ""
    # Some characters stand for several, and for spaces between them: ﷺ.
    folded = exact(_gaps.sub("", exact(written)))
    return folded if len(folded) <= MAX_LENGTH and _tag.fullmatch(folded) else ""
