"""What a process logs: messages, and the lines in which it says them."""

import hashlib
import logging
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Severity = Literal["critical", "error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the gravest first
# What kind of process says something.
Speaker = Literal["web", "stream", "worker", "serve"]
SPEAKERS: tuple[Speaker, ...] = get_args(Speaker)

_LEVELS: tuple[tuple[int, Severity], ...] = (
    (logging.CRITICAL, "critical"),
    (logging.ERROR, "error"),
    (logging.WARNING, "warning"),
)


class Message(NamedTuple):
    """What equal lines have in common: the template has `%s` where they differ."""

    severity: Severity
    logger: str
    template: str

    @property
    def id(self) -> str:
        text = f"{self.logger}\n{self.template}".encode("utf-8", "replace")
        return hashlib.blake2b(text, digest_size=8).hexdigest()


class Line(NamedTuple):
    at: float  # s since 1970
    text: str
    speaker: Speaker
    task_id: str = ""  # of the task that it is about


@dataclass
class Lines:
    """How often this process said a message in one hour, and how it did so last."""

    last: Line
    times: int = 0


def severity_of(level: int) -> Severity:
    return next((name for least, name in _LEVELS if level >= least), "info")
