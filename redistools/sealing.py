"""Secrets that Redis and SQL hold, sealed: reading a store, or writing to it, is not enough.

AES-GCM with a key made from `SECRET_KEY` and from what the text belongs to: a copy of a store alone
can't be read (a backup has `SECRET_KEY` too), nor a text moved to another owner.
"""

import base64
import binascii
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.utils.crypto import salted_hmac

NONCE_BYTES = 12
# Part of every key: with another one, nothing that was sealed before could be read.
SALT = "users.login.sealing"


def seal(text: bytes, *, owner: str) -> str:
    nonce = os.urandom(NONCE_BYTES)
    return base64.b64encode(nonce + _cipher(owner).encrypt(nonce, text, None)).decode()


def unseal(sealed: str, *, owner: str) -> bytes | None:
    """None if it was changed, is another's, or was sealed with another `SECRET_KEY`."""
    try:
        raw = base64.b64decode(sealed, validate=True)
        return _cipher(owner).decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], None)
    except (InvalidTag, ValueError, binascii.Error):
        return None


def _cipher(owner: str) -> AESGCM:
    return AESGCM(salted_hmac(SALT, owner, algorithm="sha256").digest())


def key_fingerprint() -> str:
    """Tells whether another place uses our `SECRET_KEY`. Salted and slow, against guessing."""
    return make_password(settings.SECRET_KEY)


def is_of_our_key(fingerprint: str) -> bool:
    return check_password(settings.SECRET_KEY, fingerprint)
