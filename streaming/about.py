"""What filters look at in a status, found once, when it is posted, and kept beside its event.

It outlives the text, because a deletion has to reach every client that got the status. So it is
sealed with a key made from `SECRET_KEY`: reading Redis reveals no deleted word, nor where somebody
was.
"""

import base64
import json
import os
from functools import cache
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.utils.crypto import salted_hmac

from .subject import Point, Subject

NONCE_BYTES = 12


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
    nonce = os.urandom(NONCE_BYTES)
    content = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    sealed = _cipher(settings.SECRET_KEY).encrypt(nonce, content, None)
    return base64.b64encode(nonce + sealed).decode()


def unseal(text: str) -> Subject | None:
    """None if the text is empty or was sealed with another key."""
    sealed = base64.b64decode(text)
    if not sealed:
        return None
    try:
        content = _cipher(settings.SECRET_KEY).decrypt(
            sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None
        )
    except InvalidTag:
        return None
    return _subject(json.loads(content))


@cache
def _cipher(secret: str) -> AESGCM:
    return AESGCM(salted_hmac(__name__, "key", secret=secret, algorithm="sha256").digest())


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
