"""What all processes have logged: the newest lines of each severity, which messages are frequent
in each hour, and the last traceback of each message.

Nothing is rotated by hand: an hour is a key, named by the clock of who logged, and ends by itself.
"""

import json
import os
import socket
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script

from ..precisions import DAY, HOUR
from .kept import Kept, Said, kept_message, said_line
from .message import Lines, Message, Severity, Speaker
from .scrubbing import scrubbed, shortened

# Of each severity.
MOST_LINES = 200
MOST_MESSAGES = 500
KEPT_SECONDS = 7 * DAY
HOURS_SECONDS = 2 * DAY
LONGEST_TEMPLATE, LONGEST_TEXT, LONGEST_TRACEBACK = 300, 1_000, 12_000

# How often each kind of process said each message.
Times = dict[str, dict[Speaker, int]]

_note_lines = Script(__file__, "note_lines")


def add(
    batch: Batch,
    logged: Mapping[tuple[Message, int], Lines],
    tracebacks: Mapping[Message, str] = MappingProxyType({}),
) -> None:
    """Atomic for each message, O(log messages). Leaves out what must not be kept."""
    for (message, hour), lines in logged.items():
        clean = message._replace(template=scrubbed(message.template)[:LONGEST_TEMPLATE])
        traceback = shortened(scrubbed(tracebacks.get(message, "")), LONGEST_TRACEBACK)
        _add(batch, clean, hour, lines, traceback)


def _add(batch: Batch, message: Message, hour: int, lines: Lines, traceback: str) -> None:
    severity, last, id_ = message.severity, lines.last, message.id
    fields = {
        "logger": message.logger,
        "template": message.template,
        "text": scrubbed(last.text)[:LONGEST_TEXT],
        "process": f"{last.speaker} {os.getpid()} {socket.gethostname()}",
        "task": last.task_id,
    }
    line = {name: fields[name] for name in ("logger", "text", "process")}
    names = [
        keys.log(severity, "lines"),
        keys.log_frequent(severity, hour),
        keys.log(severity, "messages"),
        keys.log_message(severity, id_),
    ]
    arguments: list[Argument] = [id_, f"{last.speaker} {id_}", lines.times, repr(last.at)]
    arguments.append(json.dumps({"id": id_, "at": last.at, "times": lines.times} | line))
    arguments += (MOST_LINES, MOST_MESSAGES, KEPT_SECONDS, (hour + 1) * HOUR + HOURS_SECONDS)
    arguments += (keys.log_message(severity), traceback)
    batch.call(_note_lines, names, [*arguments, *(it for pair in fields.items() for it in pair)])


def newest(severity: Severity, *, since: float) -> list[Said]:
    """Lines, the newest first. One round trip, O(lines)."""
    held: Any = get_client().lrange(keys.log(severity, "lines"), 0, -1)
    lines = [said_line(severity, it) for it in held]
    return sorted((it for it in lines if it.at >= since), key=lambda it: it.at, reverse=True)


def times(wanted: Iterable[tuple[Severity, int]]) -> list[Times]:
    """For severities and hours, by id of the message. One round trip, O(messages)."""
    batch = Batch(get_client())
    for severity, hour in wanted:
        batch.add("ZRANGE", keys.log_frequent(severity, hour), 0, -1, "WITHSCORES")
    found = []
    for answer in batch.run():
        by_id: Times = {}
        for member, count in answer:
            speaker, _, id_ = member.partition(" ")
            by_id.setdefault(id_, {})[speaker] = int(count)
        found.append(by_id)
    return found


def find(severity: Severity, ids: Iterable[str]) -> dict[str, Kept]:
    """Those that are still kept. One round trip."""
    wanted = list(dict.fromkeys(ids))
    batch = Batch(get_client())
    for id_ in wanted:
        batch.add("HGETALL", keys.log_message(severity, id_))
    answers = zip(wanted, batch.run(), strict=True)
    return {id_: kept_message(severity, id_, fields) for id_, fields in answers if fields}
