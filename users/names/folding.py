"""The words under which a person is found: folded, so that case, accents and width don't matter."""

import unicodedata

import regex

# Longer words are cut: nobody types that far.
MAX_WORD = 50
# A search is about a person: what comes after this many words narrows nothing down.
MOST_TERMS = 5

_words = regex.compile(r"[^\W_]+")
# Scripts that are written without blanks between the parts of a name.
_unspaced = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")
# Letters that Unicode does not take apart, and people type without their strokes.
_PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "þ": "th", "\N{LATIN SMALL LETTER DOTLESS I}": "i"}
    | dict(zip("øłđħð", "oldhd", strict=True))
)
# Above it are accents and vowel points. Below are signs that make another letter: か and が.
_HIGHEST_KEPT_SIGN = 9


def fold(text: str) -> str:
    """`Łukasz Müller` becomes `lukasz muller`. Its own fold is the same again."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(it for it in apart if unicodedata.combining(it) <= _HIGHEST_KEPT_SIGN)
    return unicodedata.normalize("NFC", kept.translate(_PLAIN))


def words_of(*, username: str, name: str) -> set[str]:
    words = {fold(username), *split(username), *split(name)}
    endings = {
        word[place:] for word in words if _unspaced.search(word) for place in range(len(word))
    }
    return {word[:MAX_WORD] for word in words | endings}


def terms_of(query: str) -> list[str]:
    """What somebody looks for: each is the beginning of a word. `@` before a name is left out."""
    typed = [it for part in query.split() for it in _terms_in(part.lstrip("@"))]
    return list(dict.fromkeys(it[:MAX_WORD] for it in typed))[:MOST_TERMS]


def _terms_in(part: str) -> list[str]:
    """A username stays whole, with its underscores."""
    return [fold(part)] if part.isascii() and part.isidentifier() else split(part)


def split(text: str) -> list[str]:
    return _words.findall(fold(text))
