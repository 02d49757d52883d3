"""The words under which a person is found: folded, so that case, accents and width don't matter."""

from collections.abc import Iterable

import regex

from web.plain_text import plain

# Longer words are cut: nobody types that far.
MAX_WORD = 50
# A search is about a person: what comes after this many words narrows nothing down.
MOST_TERMS = 5
# Signs of a word without blanks that a bio is found by.
UNSPACED_TERM = 8

_words = regex.compile(r"[^\W_]+")
# Scripts that are written without blanks between the parts of a name.
_unspaced = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]")


def words_of(*, username: str, name: str) -> set[str]:
    words = {plain(username), *split(username), *split(name)}
    return {word[:MAX_WORD] for word in words | _endings(words)}


def words_in_bio(bio: str) -> set[str]:
    """Like those of a name; but where every sign begins one, short ones: a bio has hundreds."""
    words = set(split(bio))
    spaced = {word[:MAX_WORD] for word in words if not _unspaced.search(word)}
    return spaced | {word[:UNSPACED_TERM] for word in _endings(words)}


def _endings(words: Iterable[str]) -> set[str]:
    return {word[place:] for word in words if _unspaced.search(word) for place in range(len(word))}


def terms_of(query: str) -> list[str]:
    """What somebody looks for: each is the beginning of a word. `@` before a name is left out."""
    typed = [it for part in query.split() for it in _terms_in(part.lstrip("@"))]
    return list(dict.fromkeys(it[:MAX_WORD] for it in typed))[:MOST_TERMS]


def _terms_in(part: str) -> list[str]:
    """A username stays whole, with its underscores; what has no blanks is looked for in pieces."""
    if part.isascii() and part.isidentifier():
        return [plain(part)]
    return [piece for word in split(part) for piece in _pieces(word)]


def _pieces(word: str) -> list[str]:
    if not _unspaced.search(word):
        return [word]
    return [word[it : it + UNSPACED_TERM] for it in range(0, len(word), UNSPACED_TERM)]


def split(text: str) -> list[str]:
    return _words.findall(plain(text))
