"""An event on its way to clients: decoded once, however many get it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from statuses.reading.shown import ShownStatus
from statuses.stored import StoredStatus
from statuses.visibility.predicate import without_mentions

from .status_facts import StatusFacts, facts_of, unseal

POST, EDIT, DELETE = "post", "edit", "delete"
FOLLOW, UNFOLLOW, TAG = "follow", "unfollow", "tag"
# JSON need not escape these, but clients that split text into lines would split here.
_UNUSUAL_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"})


def json_text(message: Mapping[str, Any]) -> str:
    """Never contains a line break, whatever is in the message."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_UNUSUAL_LINE_ENDS)


def body_of(
    status: StoredStatus, original: StoredStatus | None = None, *, is_narrow: bool = False
) -> dict[str, Any]:
    fields: dict[str, Any] = dict(status.fields())
    if original is None:
        return fields
    return fields | {"original": original.fields()} | ({"narrow": "1"} if is_narrow else {})


@dataclass(frozen=True)
class StreamEvent:
    position: int
    # The position of the event before this one: a reader who is not there yet has missed some.
    before: int
    kind: str
    body: str
    about: str = ""  # what filters look at, sealed
    is_private: bool = False  # is it not for everybody? Then only homes get it
    is_new: bool = False  # an edit that reaches somebody who has not had the post

    @classmethod
    def from_message(cls, message: str, *, is_private: bool = False) -> Self:
        head, _, about = message.partition("\n")
        before, position, kind, body = head.split(" ", 3)
        return cls(int(position), int(before), kind, body, about, is_private)

    @classmethod
    def from_log(
        cls, entry_id: str, fields: Mapping[str, str], *, is_private: bool = False
    ) -> Self:
        position = int(entry_id.partition("-")[0])
        kind, body, about = fields["kind"], fields["body"], fields.get("about", "")
        return cls(position, int(fields["before"]), kind, body, about, is_private)

    @property
    def is_about_a_status(self) -> bool:
        return self.kind in (POST, EDIT, DELETE)

    @property
    def has_status(self) -> bool:
        return self.kind in (POST, EDIT)

    @cached_property
    def data(self) -> Mapping[str, Any]:
        decoded: Mapping[str, Any] = json.loads(self.body)
        return decoded

    @cached_property
    def status(self) -> StoredStatus:
        return StoredStatus.of(dict(self.data))

    @cached_property
    def original(self) -> StoredStatus | None:
        return StoredStatus.of(self.data["original"]) if "original" in self.data else None

    @cached_property
    def entry(self) -> ShownStatus:
        if self.original is None:
            return ShownStatus(self.status.id, self.status)
        return ShownStatus(self.status.id, self.original, boost=self.status)

    @property
    def is_narrow(self) -> bool:
        return '"narrow"' in self.body and "narrow" in self.data

    @property
    def authors(self) -> set[int]:
        if '"original"' not in self.body:
            return {self.facts.author_id}
        return {it.author_id for it in (self.status, self.original) if it}

    @property
    def mentioned(self) -> set[int]:
        """Who is named or answered. Most statuses mention nobody, and are not decoded."""
        if not self.has_status:
            return set()
        if '"entities"' not in self.body and '"reply_uid"' not in self.body:
            return set()
        return (self.original or self.status).people

    def without_mentions(self, is_hidden: Callable[[int], bool]) -> Self:
        if not any(map(is_hidden, self.mentioned)):
            return self
        said = self.original or self.status
        shown = without_mentions(said, lambda account: is_hidden(account.id))
        original = shown if self.original else None
        body = body_of(self.status if original else shown, original, is_narrow=self.is_narrow)
        return replace(self, body=json_text(body))

    def after(self, position: int) -> Self:
        """The event for a client that has had everything up to this position. Positions compare
        with ids: a later status is new to it, even if it was edited since.
        """
        is_new = self.kind == EDIT and self.facts.id > position
        return replace(self, is_new=True) if is_new else self

    @cached_property
    def facts(self) -> StatusFacts:
        """Falls back on the body, which knows less, when `SECRET_KEY` has changed."""
        return unseal(self.about) or self._facts_of_body()

    def _facts_of_body(self) -> StatusFacts:
        if self.has_status:
            return facts_of(self.status, self.original)
        return StatusFacts(id=self.data["id"], author_id=self.data["author"])

    @cached_property
    def formatted(self) -> dict[str, bytes]:
        """What clients got of it, by format (`formats.py`): made once for all."""
        return {}
