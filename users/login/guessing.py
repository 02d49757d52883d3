"""Passwords that are long enough and yet among the first that attackers try, such as Summer2026!,
P@ssw0rd2024 or 1qaz2wsx3edc. By rules, in less than a millisecond.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise

# Of these, at the beginning and the end, a word gets no harder to guess: a year, a birthday, `!!`.
MOST_DECORATION = 8
# A shorter one turns up in any text: `were` is one on a keyboard.
SHORTEST_RUN = 4

_ROWS = (
    *("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl;", "zxcvbnm,./"),
    *("qwertzuiopü", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "!@#$%^&*()"),
    *("1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.", "qazwsxedcrfvtgbyhnujmikolp"),
)
_NEIGHBOURS = {pair for row in _ROWS for way in (row, row[::-1]) for pair in pairwise(way)}
# Signs that pass for letters; 1 and ! are read both ways.
_READINGS = [str.maketrans("013457@$!", letters) for letters in ("oieastasi", "oleastasl")]


def is_guessable(password: str, *, words: Collection[str], least: int) -> bool:
    """`words` are folded. `least`: how many characters must be left without rows and repeats."""
    text = _repeated_part(password.casefold())
    if len(_without_runs(text)) < least:
        return True
    return any(core in words for core in _cores(text))


def _repeated_part(text: str) -> str:
    """`abcabc` is as good as `abc`. Inside its double, a text is found again after one part."""
    return text[: (text + text).find(text, 1)]


def _without_runs(text: str) -> str:
    return "".join(run for run in _runs(text) if len(run) < SHORTEST_RUN)


def _runs(text: str) -> Iterator[str]:
    """The text in pieces, each of keys or letters side by side, or of one character."""
    start = 0
    for place, pair in enumerate(pairwise(text), start=1):
        if pair not in _NEIGHBOURS and pair[0] != pair[1]:
            yield text[start:place]
            start = place
    yield text[start:]


def _cores(text: str) -> Iterator[str]:
    left, right = text.lstrip(_decoration(text)), text.rstrip(_decoration(text))
    both = left.rstrip(_decoration(text))
    for core in (text, left, right, both):
        if len(text) - len(core) <= MOST_DECORATION:
            yield core
            yield from (core.translate(reading) for reading in _READINGS)


def _decoration(text: str) -> str:
    return "".join({it for it in text if not it.isalpha()}) or " "
