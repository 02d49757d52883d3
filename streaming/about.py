"""What filters look at in a status, kept beside its event: found once, when it is posted.

It outlives the text, because a deletion has to reach those whose filter had found the status. So
it is sealed with a key made of `SECRET_KEY`: nobody who reads Redis finds a deleted word in it, or
where somebody was.
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

from .matching import Subject
from .places import Point

NONCE_BYTES = 12


def seal(subject: Subject) -> str:
    fields = {
        "id": subject.id,
        "author": subject.author_id,
        "words": sorted(subject.words),
        "addressees": sorted(subject.addressees),
        "point": subject.point,
        "boost": subject.is_boost,
        "language": subject.language,
    }
    nonce = os.urandom(NONCE_BYTES)
    content = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    sealed = _cipher(settings.SECRET_KEY).encrypt(nonce, content, None)
    return base64.b64encode(nonce + sealed).decode()


def unseal(text: str) -> Subject | None:
    """None where there is nothing, or where it was sealed with another key."""
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
        point=Point(*fields["point"]) if fields["point"] else None,
        is_boost=fields["boost"],
        language=fields["language"],
    )
