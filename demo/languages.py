"""The languages of the demo community: `phrases/*.toml` hold the names, the towns and the words."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

PHRASES = Path(__file__).parent / "phrases"
HIGHEST_LINK_NUMBER = 9_999


class Town(NamedTuple):
    name: str
    latitude: float
    longitude: float


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
    topics: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]

    def speak(self, chance: Random, phrase: str, **known: str) -> str:
        """The phrase with a word in each of its gaps."""
        text = phrase.format_map(_Gaps(chance, self.words, known))
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


def load_languages() -> list[Language]:
    return [_load(path) for path in sorted(PHRASES.glob("*.toml"))]


def _load(path: Path) -> Language:
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    towns = [Town(*town) for town in content.pop("towns")]
    return Language(code=path.stem, towns=towns, **content)
