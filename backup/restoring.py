"""Restores a backup into an empty site: pictures, key, and the database last.

Whatever stops it, the database is empty until all is there, and it can be started again.
"""

from pathlib import Path

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader

from redistools.sealing import is_of_our_key
from upkeep.walking import keys_held

from . import pictures
from .archive import SECRET_KEY, ArchiveReader, BackupError, Manifest, opened
from .loading import load, names_of
from .making import kept_key
from .snapshot import tables_of


def restore(path: Path) -> Manifest:
    """Everything but Redis, which is rebuilt from it."""
    with opened(path) as archive:
        check_fit(archive.manifest)
        check_target()
        archive.verify()
        pictures.load(archive)
        _restore_key(archive)
        load(archive)
        return archive.manifest


def check_fit(manifest: Manifest) -> None:
    if unknown := set(manifest.migrations) - _known_migrations():
        raise BackupError(
            f"The backup is of a newer version of the site, with {min(unknown)}: upgrade first"
        )


def _known_migrations() -> set[str]:
    known = MigrationLoader(None).disk_migrations.values()
    return {name for migration in known for name in {str(migration), *names_of(migration)}}


def check_target() -> None:
    database = connections[DEFAULT_DB_ALIAS]
    if tables_of(database):
        where = database.settings_dict["NAME"]
        raise BackupError(
            f"The database {where} has tables already: restore into an empty one, with "
            "SOCIALSITE_DATA_DIR or DATABASE_URL"
        )
    if next(keys_held(), None):
        raise BackupError(
            "Redis holds keys of a site: empty it (`redis-cli FLUSHDB`), or let REDIS_URL or "
            "REDIS_KEY_PREFIX name another place"
        )


def _restore_key(archive: ArchiveReader) -> None:
    if SECRET_KEY not in archive.manifest.files or kept_key() is None:
        return
    path = settings.DATA_DIR / "secret_key"
    draft = path.with_name("secret_key.restoring")
    draft.touch(mode=0o600)
    draft.write_bytes(b"".join(archive.read(SECRET_KEY)))
    draft.replace(path)
    # What follows in this process seals and signs with it.
    settings.SECRET_KEY = path.read_text()


def has_another_key(manifest: Manifest) -> bool:
    return not is_of_our_key(manifest.key_fingerprint)
