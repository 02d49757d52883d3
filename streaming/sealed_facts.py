"""What filters look at in a status, found once, when it is posted, and kept beside its event.

It outlives the text, because a deletion has to reach every client that got the status. So it is
sealed with a key made from `SECRET_KEY`: reading Redis reveals no deleted word, nor where somebody
was.
"""

import json
from typing import Any

from users.login import sealing

from .status_facts import Point, StatusFacts

OWNER = "event log"


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
    """None if the text is empty or was sealed with another key."""
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
