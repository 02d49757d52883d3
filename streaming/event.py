"""An event on its way to clients: decoded once, however many get it.

What filters look at is found once, when the event is published, sealed, and kept beside its body.
It outlives the text, because a deletion has to reach every client that got the status. The seal's
key is made from `SECRET_KEY`: reading Redis reveals no deleted word and no place.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self
from zlib import crc32

from redistools import sealing
from statuses.parts import place_in
from statuses.reading.shown import ShownStatus
from statuses.stored import StoredStatus
from statuses.visibility.predicate import without_mentions
from statuses.words.entities import Entity
from statuses.words.terms import Phrase, signs_of, spelled, words_of

POST, EDIT, DELETE = "post", "edit", "delete"
FOLLOW, UNFOLLOW, TAG = "follow", "unfollow", "tag"
BUCKETS = 100
# What the sealed text belongs to.
OWNER = "event log"
# JSON need not escape these, but clients that split text into lines would split here.
_UNUSUAL_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"})


def json_text(message: Mapping[str, Any]) -> str:
    """Never contains a line break, whatever is in the message."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_UNUSUAL_LINE_ENDS)


class Point(NamedTuple):
    longitude: float
    latitude: float


@dataclass(frozen=True)
class StatusFacts:
    id: int
    author_id: int
    words: frozenset[str] = frozenset()
    # The users it answers or names at its very beginning; of a boost, whom it boosts.
    addressees: frozenset[int] = frozenset()
    answers: int | None = None  # the user it answers, if that is somebody else
    # Their names. A boost has none: it is not in homes because of a tag.
    tags: frozenset[str] = frozenset()
    point: Point | None = None
    is_boost: bool = False
    language: str = ""
    # Everybody may find it by its words: streams of searches get no others.
    is_findable: bool = field(default=False, compare=False)

    @cached_property
    def bucket(self) -> int:
        """Hashed, because the last digits of most ids are the same."""
        return crc32(str(self.id).encode()) % BUCKETS

    def says(self, phrase: Phrase) -> bool:
        return phrase.words <= self.words and all(run in self.runs for run in phrase.runs)

    @cached_property
    def runs(self) -> str:
        """Signs in scripts without blanks between words, with blanks around each."""
        return "".join(spelled(signs) for word in self.words if (signs := signs_of(word)))

    @cached_property
    def terms(self) -> frozenset[str]:
        """Words, signs and pairs of signs: an index keeps a phrase under one of them."""
        signs = self.runs.split(" ")
        return self.words.union(signs, map("".join, pairwise(signs)))

    @cached_property
    def concerned(self) -> frozenset[int]:
        return self.addressees | {self.author_id}

    @cached_property
    def place(self) -> Point | None:
        """A boost is not where its original was."""
        return None if self.is_boost else self.point

    @cached_property
    def languages(self) -> frozenset[str]:
        """`pt-br` is also `pt`."""
        code = self.language.lower()
        return frozenset({code, code.partition("-")[0]})

    def including(self, earlier: "Iterable[StatusFacts]") -> "StatusFacts":
        facts = [self, *earlier]
        return replace(
            self,
            words=frozenset[str]().union(*(it.words for it in facts)),
            addressees=frozenset[int]().union(*(it.addressees for it in facts)),
            tags=frozenset[str]().union(*(it.tags for it in facts)),
        )


def facts_of(
    status: StoredStatus, original: StoredStatus | None = None, *, is_findable: bool = False
) -> StatusFacts:
    """A boost says what its original says, but has its own author, and addresses the other."""
    said = original or status
    entities, place = said.found, place_in(dict(said.parts))
    return StatusFacts(
        id=status.id,
        author_id=status.author_id,
        words=words_of(said.text, entities),
        addressees=frozenset({original.author_id}) if original else _addressees(status, entities),
        answers=status.reply_to_author if status.is_reply_to_others else None,
        tags=frozenset() if original else frozenset(status.tags),
        point=Point(*place) if place else None,
        is_boost=status.boost_of is not None,
        language=said.language,
        is_findable=is_findable and original is None,
    )


def _addressees(status: StoredStatus, entities: Collection[Entity]) -> frozenset[int]:
    named = {it.account.id for it in entities if it.account and it.start == 0}
    return frozenset(named | ({status.reply_to_author} if status.reply_to_author else set()))


def seal(facts: StatusFacts) -> str:
    fields = {
        "id": facts.id,
        "author": facts.author_id,
        "words": sorted(facts.words),
        "addressees": sorted(facts.addressees),
        "answers": facts.answers,
        "tags": sorted(facts.tags),
        "point": facts.point,
        "boost": facts.is_boost,
        "language": facts.language,
        **({"findable": True} if facts.is_findable else {}),
    }
    content = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    return sealing.seal(content, owner=OWNER)


def unseal(text: str) -> StatusFacts | None:
    content = sealing.unseal(text, owner=OWNER)
    return _facts(json.loads(content)) if content else None


def _facts(fields: dict[str, Any]) -> StatusFacts:
    return StatusFacts(
        id=fields["id"],
        author_id=fields["author"],
        words=frozenset(fields["words"]),
        addressees=frozenset(fields["addressees"]),
        answers=fields["answers"],
        tags=frozenset(fields["tags"]),
        point=Point(*fields["point"]) if fields["point"] else None,
        is_boost=fields["boost"],
        language=fields["language"],
        # Events of before an upgrade lack it.
        is_findable=fields.get("findable", False),
    )


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
