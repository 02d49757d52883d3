"""An event on its way to clients: decoded and formatted once, however many get it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from statuses.stored import StoredStatus
from statuses.visibility import without_mentions

from . import formats
from .about import unseal
from .formats import json_text
from .subject import Subject, subject_of

POST, DELETE, FOLLOW, UNFOLLOW = "post", "delete", "follow", "unfollow"


@dataclass(frozen=True)
class Event:
    position: int
    before: int
    """The position of the event before this one: a reader who is not there yet has missed some."""

    kind: str
    body: str
    about: str = ""
    """What filters look at, sealed."""

    @classmethod
    def from_message(cls, message: str) -> Self:
        head, _, about = message.partition("\n")
        before, position, kind, body = head.split(" ", 3)
        return cls(int(position), int(before), kind, body, about)

    @classmethod
    def from_log(cls, entry_id: str, fields: Mapping[str, str]) -> Self:
        position = int(entry_id.partition("-")[0])
        about = fields.get("about", "")
        return cls(position, int(fields["before"]), fields["kind"], fields["body"], about)

    @property
    def is_about_a_status(self) -> bool:
        return self.kind in (POST, DELETE)

    @cached_property
    def data(self) -> Mapping[str, Any]:
        decoded: Mapping[str, Any] = json.loads(self.body)
        return decoded

    @cached_property
    def status(self) -> StoredStatus:
        """What was posted."""
        return StoredStatus.of(dict(self.data))

    def without_mentions(self, is_hidden: Callable[[int], bool]) -> Self:
        """The same event if it mentions nobody hidden. Most mention nobody, and are not decoded."""
        if '"entities"' not in self.body:
            return self
        shown = without_mentions(self.status, lambda account: is_hidden(account.id))
        return self if shown is self.status else replace(self, body=json_text(shown.fields()))

    @cached_property
    def subject(self) -> Subject:
        """Made from the body where `SECRET_KEY` has changed: that knows less."""
        return unseal(self.about) or self._subject_of_body()

    def _subject_of_body(self) -> Subject:
        if self.kind == POST:
            return subject_of(self.status)
        return Subject(id=self.data["id"], author_id=self.data["author"])

    @cached_property
    def line(self) -> bytes:
        if self.kind == POST:
            return formats.line(formats.twitter_status(self.status))
        status_id, author_id = self.subject.id, self.subject.author_id
        return formats.line(formats.twitter_delete(status_id, author_id, self.position))

    @cached_property
    def delimited(self) -> bytes:
        return formats.delimited(self.line)

    @cached_property
    def server_sent(self) -> bytes:
        if self.kind == POST:
            html = formats.status_html(self.status)
            return formats.server_sent(self.position, "update", html)
        return formats.server_sent(self.position, "delete", str(self.subject.id))
