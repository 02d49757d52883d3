"""Which texts hold a word, tag or phrase that the reader has muted."""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from web.pages.kept_by_length import KeptByLength
from web.plain_text import exact

HIDE, FOLD, SHOW = "hide", "fold", "show"
# Of texts; with their folded forms a few tens of megabytes at most.
KEPT_CHARACTERS = 5_000_000
# Scripts that write no spaces between words.
_unspaced = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


class MutedPhrase(NamedTuple):
    phrase: str
    action: str
    until: int  # in milliseconds since 1970; 0: for ever


class Phrases:
    """Matches whole words, in any case and width: `cat` is in `#cat`, but not in `concatenate`."""

    def __init__(self, phrases: Sequence[MutedPhrase]) -> None:
        self._folded = [(fold(it.phrase), it) for it in phrases]

    def __bool__(self) -> bool:
        return bool(self._folded)

    def action_on(self, text: str, now: int) -> str:
        """Returns `hide`, `fold` or `show`. Hiding wins."""
        if not self._folded:
            return SHOW
        folded = _folded(text)
        actions = {
            it.action
            for phrase, it in self._folded
            if phrase in folded and (not it.until or it.until > now) and stands_in(phrase, folded)
        }
        return HIDE if HIDE in actions else FOLD if actions else SHOW


def fold(text: str) -> str:
    return exact(text).strip()


_folded = KeptByLength(fold, KEPT_CHARACTERS)


def stands_in(phrase: str, text: str) -> bool:
    """Ignores matches inside another word, where words are told apart by spaces."""
    if _unspaced.search(phrase):
        return True
    start = text.find(phrase)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(phrase) :][:1]
        if not (_continues(before) and _continues(phrase[0])) and not (
            _continues(after) and _continues(phrase[-1])
        ):
            return True
        start = text.find(phrase, start + 1)
    return False


def _continues(character: str) -> bool:
    return character.isalnum() or character == "_"
