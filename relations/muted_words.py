"""Which texts hold a word, tag or phrase that the reader has muted."""

import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import regex

HIDE, FOLD, SHOW = "hide", "fold", "show"
# Characters of texts, of both forms together: a few tens of megabytes at most.
KEPT_CHARACTERS = 10_000_000
# Scripts that write no spaces between words.
_unspaced = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


class MutedPhrase(NamedTuple):
    phrase: str
    action: str
    until: int
    """In milliseconds since 1970; 0: for ever."""


class Phrases:
    """Whole words, in any case and width: `cat` is not in `concatenate`, but in `#cat`."""

    def __init__(self, phrases: Sequence[MutedPhrase]) -> None:
        self._folded = [(fold(it.phrase), it) for it in phrases]

    def __bool__(self) -> bool:
        return bool(self._folded)

    def action_on(self, text: str, now: int) -> str:
        """`hide`, `fold` or `show`. Hiding wins."""
        if not self._folded:
            return SHOW
        folded = _folded(text)
        actions = {
            it.action
            for phrase, it in self._folded
            if phrase in folded and (not it.until or it.until > now) and _stands_in(phrase, folded)
        }
        return HIDE if HIDE in actions else FOLD if actions else SHOW


def fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


class FoldedTexts:
    """The texts that were folded last, bounded by their length: posts may be long."""

    def __init__(self, most_characters: int) -> None:
        self.most_characters = most_characters
        self.characters = 0
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str) -> str:
        with self._lock:
            if text in self._kept:
                self._kept.move_to_end(text)
                return self._kept[text]
        folded = fold(text)
        with self._lock:
            self._keep(text, folded)
        return folded

    def _keep(self, text: str, folded: str) -> None:
        if text in self._kept:
            return
        self._kept[text] = folded
        self.characters += len(text) + len(folded)
        while self.characters > self.most_characters:
            dropped = self._kept.popitem(last=False)
            self.characters -= sum(map(len, dropped))


_folded = FoldedTexts(KEPT_CHARACTERS)


def _stands_in(phrase: str, text: str) -> bool:
    """Not inside another word, where words are told apart by spaces."""
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
