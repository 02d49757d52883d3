"""The languages of the demo community: `phrases/*.toml` hold the names, the towns and the words."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from .scripted import Conversation, load_conversations

PHRASES = Path(__file__).parent / "phrases"
HIGHEST_LINK_NUMBER = 9_999


class Town(NamedTuple):
    name: str
    latitude: float
    longitude: float


class Warned(NamedTuple):
    """What is said behind a content warning."""

    warning: str
    text: str


@dataclass(frozen=True)
class Language:
    code: str
    share: int
    """How many people speak it, relative to the others."""

    first_names: Sequence[str]
    last_names: Sequence[str]
    towns: Sequence[Town]
    bios: Sequence[str]
    small_talk: Sequence[str]
    answers: Sequence[str]
    """To anything; `comments` are answers to what was said on a topic."""

    thanks: Sequence[str]
    """What authors say to those who answered."""

    mentions: Sequence[str]
    afterthoughts: Sequence[str]
    warned: Sequence[Warned]
    topics: Mapping[str, Sequence[str]]
    comments: Mapping[str, Sequence[str]]
    happenings: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    conversations: Sequence[Conversation]

    def speak(self, chance: Random, phrase: str, **known: str) -> str:
        """The phrase with a word in each of its gaps."""
        return _fill(phrase, _Gaps(chance, self.words, known))

    def converse(self, chance: Random, phrases: Iterable[str], **known: str) -> list[str]:
        """The phrases with the same word in all gaps of a name."""
        gaps = _LastingGaps(chance, self.words, known)
        return [_fill(phrase, gaps) for phrase in phrases]


def _fill(phrase: str, gaps: "_Gaps") -> str:
    text = phrase.format_map(gaps)
    return text[0].upper() + text[1:]


class _Gaps(dict[str, str]):
    """Draws a new word each time a gap is filled."""

    def __init__(
        self, chance: Random, words: Mapping[str, Sequence[str]], known: Mapping[str, str]
    ) -> None:
        super().__init__(known)
        self._chance = chance
        self._words = words

    def __missing__(self, gap: str) -> str:
        word = self._chance.choice(self._words[gap])
        return word.replace("{n}", str(self._chance.randint(1, HIGHEST_LINK_NUMBER)))


class _LastingGaps(_Gaps):
    """Draws a word for the first gap of a name, and keeps it."""

    def __missing__(self, gap: str) -> str:
        self[gap] = super().__missing__(gap)
        return self[gap]


def load_languages() -> list[Language]:
    return [_load(path) for path in sorted(PHRASES.glob("*.toml"))]


def _load(path: Path) -> Language:
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    content["towns"] = [Town(*town) for town in content["towns"]]
    content["warned"] = [Warned(*pair) for pair in content["warned"]]
    return Language(code=path.stem, conversations=load_conversations(path.stem), **content)
