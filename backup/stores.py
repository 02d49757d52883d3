"""What a backup needs to know of this site: its database, its version, its key."""

from types import ModuleType

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from . import postgres, sqlite

ENGINES = {"sqlite": sqlite, "postgresql": postgres}


def vendor() -> str:
    return str(connections[DEFAULT_DB_ALIAS].vendor)


def engine() -> ModuleType:
    """`sqlite` or `postgres`, which have the same functions."""
    return ENGINES[vendor()]


def kept_key() -> str | None:
    """The key in the data folder; None if SECRET_KEY is set instead."""
    path = settings.DATA_DIR / "secret_key"
    key = path.read_text().strip() if path.exists() else None
    return key if key == settings.SECRET_KEY else None
