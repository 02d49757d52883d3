"""An event on its way out: decoded once, framed once, however many clients get it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from . import events, framing
from .about import unseal
from .matching import Subject, subject_of
from .rendering import status_html


@dataclass(frozen=True)
class Event:
    position: int
    before: int
    """The position of the event before this one: whoever is not there yet has missed some."""

    kind: str
    body: str
    about: str = ""
    """What filters look at, sealed."""

    @classmethod
    def from_message(cls, message: str) -> Self:
        told, _, about = message.partition("\n")
        before, position, kind, body = told.split(" ", 3)
        return cls(int(position), int(before), kind, body, about)

    @classmethod
    def from_log(cls, entry_id: str, fields: Mapping[str, str]) -> Self:
        position = int(entry_id.partition("-")[0])
        about = fields.get("about", "")
        return cls(position, int(fields["before"]), fields["kind"], fields["body"], about)

    @property
    def is_about_a_status(self) -> bool:
        return self.kind in (events.POST, events.DELETE)

    @cached_property
    def data(self) -> Mapping[str, Any]:
        decoded: Mapping[str, Any] = json.loads(self.body)
        return decoded

    @cached_property
    def subject(self) -> Subject:
        """Where `SECRET_KEY` has changed, the body says what it still can."""
        return unseal(self.about) or subject_of(self.data)

    @cached_property
    def line(self) -> bytes:
        body = self.body if self.kind == events.POST else framing.json_text(self._delete_notice())
        return framing.line(body)

    @cached_property
    def delimited(self) -> bytes:
        return framing.delimited(self.line)

    @cached_property
    def server_sent(self) -> bytes:
        if self.kind == events.POST:
            return framing.server_sent(self.position, "update", status_html(self.data))
        return framing.server_sent(self.position, "delete", str(self.subject.id))

    def _delete_notice(self) -> dict[str, Any]:
        status_id, user_id = self.subject.id, self.subject.author_id
        status = {
            "id": status_id,
            "id_str": str(status_id),
            "user_id": user_id,
            "user_id_str": str(user_id),
        }
        place = {"event_id": self.position, "event_id_str": str(self.position)}
        return {"delete": {"status": status, **place}}
