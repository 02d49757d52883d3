"""An event on its way out: decoded once, formatted once, however many clients get it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from statuses.stored import StoredStatus
from statuses.visibility import without_mentions

from . import events, formats
from .about import unseal
from .formats import json_text
from .matching import Subject, subject_of


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
    def status(self) -> StoredStatus:
        """What was posted."""
        return StoredStatus.of(dict(self.data))

    def without_mentions(self, is_hidden: Callable[[int], bool]) -> Self:
        """The same where it mentions nobody whose id is hidden; most statuses mention nobody, and
        are not decoded for this.
        """
        if '"entities"' not in self.body:
            return self
        shown = without_mentions(self.status, lambda account: is_hidden(account.id))
        return self if shown is self.status else replace(self, body=json_text(shown.fields()))

    @cached_property
    def subject(self) -> Subject:
        """Where `SECRET_KEY` has changed, the body says what it still can."""
        return unseal(self.about) or self._subject_of_body()

    def _subject_of_body(self) -> Subject:
        if self.kind == events.POST:
            return subject_of(self.status)
        return Subject(id=self.data["id"], author_id=self.data["author"])

    @cached_property
    def line(self) -> bytes:
        if self.kind == events.POST:
            return formats.line(formats.twitter_status(self.status))
        status_id, author_id = self.subject.id, self.subject.author_id
        return formats.line(formats.twitter_delete(status_id, author_id, self.position))

    @cached_property
    def delimited(self) -> bytes:
        return formats.delimited(self.line)

    @cached_property
    def server_sent(self) -> bytes:
        if self.kind == events.POST:
            html = formats.status_html(self.status)
            return formats.server_sent(self.position, "update", html)
        return formats.server_sent(self.position, "delete", str(self.subject.id))
