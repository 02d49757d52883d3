"""The kinds of pictures, registered by the apps that own them, and the names of their files.

A column of the owner holds a token; the files are named after it. Every upload gets a new token, so
a file never changes, and browsers keep it for ever.
"""

import secrets
from dataclasses import dataclass
from functools import lru_cache

from django.apps import apps
from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db.models import Model, QuerySet

TOKEN_BYTES = 10


@dataclass(frozen=True)
class PictureKind:
    name: str
    folder: str
    width: int
    height: int
    model: str  # as `app.Model`; a row of it owns the picture
    column: str  # its token; empty: no picture
    small: int = 0  # the side of a small square one, for cards; 0: there is none

    def file(self, token: str, ending: str) -> str:
        """Spread over 256 folders: a big site has millions."""
        return f"{self.folder}/{token[:2]}/{token}{ending}"

    def files(self, token: str) -> list[str]:
        endings = (WEBP, JPEG, SMALL) if self.small else (WEBP, JPEG)
        return [self.file(token, ending) for ending in endings]

    @property
    def table(self) -> str:
        return self._rows().model._meta.db_table

    def read(self, token: str) -> bytes | None:
        try:
            with storage().open(self.file(token, JPEG)) as file:
                content: bytes = file.read()
        except FileNotFoundError:
            return None
        return content

    def delete(self, token: str) -> None:
        for name in self.files(token):
            storage().delete(name)

    def is_used(self, owner_id: int, token: str) -> bool:
        return self._rows().filter(pk=owner_id, **{self.column: token}).exists()

    def _rows(self) -> QuerySet[Model]:
        rows: QuerySet[Model] = apps.get_model(self.model)._base_manager.all()
        return rows


_kinds: dict[str, PictureKind] = {}


def register(kind: PictureKind) -> PictureKind:
    _kinds[kind.name] = kind
    return kind


def all_kinds() -> list[PictureKind]:
    return list(_kinds.values())


def kind_named(name: str) -> PictureKind:
    return _kinds[name]


WEBP, JPEG, SMALL = ".webp", ".jpg", "-s.webp"
# What `PictureKind.file` makes, for the page that hands files out.
PATTERN = (
    rf"(?P<name>(?P<folder>[a-z]+)/[0-9a-f]{{2}}/[0-9a-f]{{{2 * TOKEN_BYTES}}}"
    r"(?P<ending>\.webp|\.jpg|-s\.webp))"
)
TYPES = {WEBP: "image/webp", JPEG: "image/jpeg", SMALL: "image/webp"}


def new_token() -> str:
    return secrets.token_hex(TOKEN_BYTES)


def storage() -> Storage:
    return storages["default"]


def address(kind: PictureKind, token: str, ending: str = WEBP) -> str:
    """For pages: without a host if the site itself hands the file out."""
    return _address(storage(), kind.file(token, ending))


@lru_cache(10_000)
def _address(where: Storage, name: str) -> str:
    """Kept: a page of people has many, and putting one together takes a while."""
    return where.url(name)


def whole_address(kind: PictureKind, token: str, ending: str = JPEG) -> str:
    found = address(kind, token, ending)
    return f"{settings.SITE_URL}{found}" if found.startswith("/") else found
