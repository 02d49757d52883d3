"""The letters that stand for somebody who has no picture."""

from functools import lru_cache

import regex

FROM_LETTER = regex.compile(r"[\p{L}\p{N}].*")
GRAPHEME = regex.compile(r"\X")


@lru_cache(10_000)
def initials(name: str, username: str) -> str:
    """A single one where letters have no case, as in Chinese, and for a username."""
    words = [word for word in map(_without_ornaments, name.split()) if word]
    if not words:
        return _first(name.strip() or username)
    first, last = _first(words[0]), _first(words[-1])
    return first + last if len(words) > 1 and _has_case(first) and _has_case(last) else first


def _without_ornaments(word: str) -> str:
    found = FROM_LETTER.search(word)
    return found[0] if found else ""


def _first(text: str) -> str:
    """What people see as one character. `ß` becomes two in upper case."""
    found = GRAPHEME.match(text)
    upper = GRAPHEME.match(found[0].upper()) if found else None
    return upper[0] if upper else ""


def _has_case(letter: str) -> bool:
    return letter.lower() != letter
