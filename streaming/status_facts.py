"""What filters look at in a status: found once, sealed, and kept beside its event.

It outlives the text, because a deletion has to reach every client that got the status. The seal's
key is made from `SECRET_KEY`: reading Redis reveals no deleted word and no place.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

from statuses.parts import place_in
from statuses.stored import StoredStatus
from statuses.words.entities import Entity
from statuses.words.terms import Phrase, signs_of, spelled, words_of
from users.login import sealing

BUCKETS = 100
# What the sealed text belongs to.
OWNER = "event log"


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


def facts_of(status: StoredStatus, original: StoredStatus | None = None) -> StatusFacts:
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
    )
