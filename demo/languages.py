"""The languages of the demo: `phrases/*.toml` hold names, towns and words, `conversations/*.txt`
what was written beforehand.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "conversations"

# In a conversation this is the guest; the other letters are anybody.
GUEST_SPEAKER = "G"

_line = re.compile(r"(?P<indent> *)(?P<above>\^?)(?P<speaker>[A-Z]): (?P<text>.+)")


class Line(NamedTuple):
    speaker: str
    text: str
    answers: int | None  # the place of another line in the conversation


Conversation = Sequence[Line]


def load_conversations(language: str) -> list[Conversation]:
    text = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    blocks = "\n".join(lines).strip().split("\n\n")
    return [list(_parse(block.splitlines())) for block in blocks]


def _parse(lines: Sequence[str]) -> Iterator[Line]:
    """A line answers the last one above it that is indented less."""
    open_lines: list[tuple[int, int]] = []
    for place, line in enumerate(lines):
        found = _line.fullmatch(line)
        if found is None:
            raise ValueError(f"Not a line of a conversation: {line!r}")
        indent = len(found["indent"])
        while open_lines and open_lines[-1][0] >= indent:
            open_lines.pop()
        answers = open_lines[-1][1] if open_lines else None
        open_lines.append((indent, place))
        yield Line(found["speaker"], found["text"], place - 1 if found["above"] else answers)


def speakers(conversation: Conversation) -> list[str]:
    letters = [
        letter
        for line in conversation
        for letter in (line.speaker, *re.findall(r"\{([A-Z])\}", line.text))
    ]
    return [letter for letter in dict.fromkeys(letters) if letter != GUEST_SPEAKER]


def has_guest(conversation: Conversation) -> bool:
    name = f"{{{GUEST_SPEAKER}}}"
    return any(it.speaker == GUEST_SPEAKER or name in it.text for it in conversation)


PHRASES = Path(__file__).parent / "phrases"
HIGHEST_LINK_NUMBER = 9_999


class Town(NamedTuple):
    name: str
    latitude: float
    longitude: float


class Name(NamedTuple):
    shown: str
    latin: str


class Warned(NamedTuple):
    warning: str
    text: str


@dataclass(frozen=True)
class DemoLanguage:
    code: str
    share: int  # how many people speak it, relative to the others
    full_name: str  # in which order `{first}` and `{last}` come
    first_names: Sequence[Name]
    last_names: Sequence[Name]
    towns: Sequence[Town]
    bios: Sequence[str]
    small_talk: Sequence[str]
    answers: Sequence[str]  # to anything; `comments` are answers to what was said on a topic
    thanks: Sequence[str]  # what authors say to those who answered
    mentions: Sequence[str]
    afterthoughts: Sequence[str]
    warned: Sequence[Warned]
    topics: Mapping[str, Sequence[str]]
    comments: Mapping[str, Sequence[str]]
    happenings: Mapping[str, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    conversations: Sequence[Conversation]

    def speak(self, chance: Random, phrase: str, **known: str) -> str:
        return _fill(phrase, _Gaps(chance, self.words, known))

    def converse(self, chance: Random, phrases: Iterable[str], **known: str) -> list[str]:
        """The phrases with the same word in all gaps of a name."""
        gaps = _LastingGaps(chance, self.words, known)
        return [_fill(phrase, gaps) for phrase in phrases]


def _fill(phrase: str, gaps: "_Gaps") -> str:
    text = phrase.format_map(gaps)
    return text[0].upper() + text[1:]


class _Gaps(dict[str, str]):
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
    def __missing__(self, gap: str) -> str:
        self[gap] = super().__missing__(gap)
        return self[gap]


def load_languages() -> list[DemoLanguage]:
    return [_load(path) for path in sorted(PHRASES.glob("*.toml"))]


def _load(path: Path) -> DemoLanguage:
    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    for names in ("first_names", "last_names"):
        content[names] = [Name(*([it, it] if isinstance(it, str) else it)) for it in content[names]]
    content["towns"] = [Town(*town) for town in content["towns"]]
    content["warned"] = [Warned(*pair) for pair in content["warned"]]
    return DemoLanguage(code=path.stem, conversations=load_conversations(path.stem), **content)
