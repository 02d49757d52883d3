"""What is read back from Redis."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, cast

from .message import Severity, Speaker


class Process(NamedTuple):
    speaker: Speaker
    pid: int
    host: str

    def __str__(self) -> str:
        return f"{self.speaker} {self.host}:{self.pid}"


@dataclass(frozen=True)
class Said:
    """A line; if a process said the same within a second, it is one, with how many `times`."""

    severity: Severity
    message_id: str
    at: float
    times: int
    logger: str
    text: str
    process: Process

    @property
    def page(self) -> str:
        """The id of its message in the admin."""
        return f"{self.severity}:{self.message_id}"

    @property
    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.at, UTC)


@dataclass(frozen=True)
class Kept:
    """A message, with how it was said last."""

    severity: Severity
    id: str
    logger: str
    template: str
    text: str
    at: datetime
    process: Process
    task_id: str
    traceback: str
    traceback_at: datetime | None

    @property
    def page(self) -> str:
        """Its id in the admin."""
        return f"{self.severity}:{self.id}"

    @property
    def error(self) -> str:
        """The last line of its traceback."""
        return self.traceback.strip().rpartition("\n")[2]


def said_line(severity: Severity, held: str) -> Said:
    fields = json.loads(held)
    return Said(
        severity,
        message_id=fields["id"],
        process=_process(fields["process"]),
        **{name: fields[name] for name in ("at", "times", "logger", "text")},
    )


def kept_message(severity: Severity, id_: str, fields: Mapping[str, str]) -> Kept:
    traceback_at = fields.get("traceback_at")
    return Kept(
        severity,
        id_,
        **{name: fields[name] for name in ("logger", "template", "text")},
        at=_moment(fields["at"]),
        process=_process(fields["process"]),
        task_id=fields["task"],
        traceback=fields.get("traceback", ""),
        traceback_at=_moment(traceback_at) if traceback_at else None,
    )


def _moment(seconds: str) -> datetime:
    return datetime.fromtimestamp(float(seconds), UTC)


def _process(text: str) -> Process:
    speaker, pid, host = text.split(" ", 2)
    return Process(cast("Speaker", speaker), int(pid), host)
