"""What filters look at in a status, found once, when it is posted, and kept beside its event.

It outlives the text, because a deletion has to reach every client that got the status. So it is
sealed with a key made from `SECRET_KEY`: reading Redis reveals no deleted word, nor where somebody
was.
"""

import json
from typing import Any

from users.login import sealing

from .subject import Point, Subject

OWNER = "event log"


def seal(subject: Subject) -> str:
    fields = {
        "id": subject.id,
        "author": subject.author_id,
        "words": sorted(subject.words),
        "addressees": sorted(subject.addressees),
        "answers": subject.answers,
        "tags": sorted(subject.tags),
        "point": subject.point,
        "boost": subject.is_boost,
        "language": subject.language,
    }
    content = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    return sealing.seal(content, owner=OWNER)


def unseal(text: str) -> Subject | None:
    """None if the text is empty or was sealed with another key."""
    content = sealing.unseal(text, owner=OWNER)
    return _subject(json.loads(content)) if content else None


def _subject(fields: dict[str, Any]) -> Subject:
    return Subject(
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
