"""Conversations that were written beforehand: `conversations/*.txt`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "conversations"

# In a conversation this is the guest; the other letters are anybody.
GUEST_SPEAKER = "G"

_line = re.compile(r"(?P<indent> *)(?P<above>\^?)(?P<speaker>[A-Z]): (?P<text>.+)")


class Line(NamedTuple):
    speaker: str
    text: str
    answers: int | None
    """The place of another line in the conversation."""


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
    """In the order in which they first speak or are named, without the guest."""
    letters = [
        letter
        for line in conversation
        for letter in (line.speaker, *re.findall(r"\{([A-Z])\}", line.text))
    ]
    return [letter for letter in dict.fromkeys(letters) if letter != GUEST_SPEAKER]


def has_guest(conversation: Conversation) -> bool:
    return any(
        line.speaker == GUEST_SPEAKER or f"{{{GUEST_SPEAKER}}}" in line.text
        for line in conversation
    )
