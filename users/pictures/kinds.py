"""Which pictures an account has, and the names of their files.

A column of the account holds a token; the files are named after it. Every upload gets a new token,
so a file never changes, and browsers keep it for ever.
"""

import secrets
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.core.files.storage import Storage, storages

TOKEN_BYTES = 10


class Shape(NamedTuple):
    folder: str
    width: int
    height: int
    small: int = 0
    """The side of a small square one, for cards; 0: there is none."""


class Kind(Enum):
    """The values are columns of `User`."""

    AVATAR = "avatar"
    HEADER = "header"

    @property
    def shape(self) -> Shape:
        return SHAPES[self]

    def file(self, token: str, ending: str) -> str:
        """Spread over 256 folders: a big site has millions."""
        return f"{self.shape.folder}/{token[:2]}/{token}{ending}"

    def files(self, token: str) -> list[str]:
        endings = (WEBP, JPEG, SMALL) if self.shape.small else (WEBP, JPEG)
        return [self.file(token, ending) for ending in endings]


SHAPES = {
    Kind.AVATAR: Shape("avatars", 400, 400, small=96),
    Kind.HEADER: Shape("headers", 1500, 500),
}
WEBP, JPEG, SMALL = ".webp", ".jpg", "-s.webp"
# What `Kind.file` makes, for the page that hands files out.
PATTERN = (
    rf"(?P<name>(?:avatars|headers)/[0-9a-f]{{2}}/[0-9a-f]{{{2 * TOKEN_BYTES}}}"
    r"(?P<ending>\.webp|\.jpg|-s\.webp))"
)
TYPES = {WEBP: "image/webp", JPEG: "image/jpeg", SMALL: "image/webp"}


def new_token() -> str:
    return secrets.token_hex(TOKEN_BYTES)


def storage() -> Storage:
    return storages["default"]


def address(kind: Kind, token: str, ending: str = WEBP) -> str:
    """For pages: without a host if the site itself hands the file out."""
    return _address(storage(), kind.file(token, ending))


@lru_cache(10_000)
def _address(where: Storage, name: str) -> str:
    """Kept: a page of people has many, and putting one together takes a while."""
    return where.url(name)


def whole_address(kind: Kind, token: str, ending: str = JPEG) -> str:
    """For other sites and programs."""
    found = address(kind, token, ending)
    return f"{settings.SITE_URL}{found}" if found.startswith("/") else found
