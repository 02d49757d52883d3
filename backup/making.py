"""Makes a backup while the site runs."""

from pathlib import Path
from zipfile import ZipFile

from django.utils import timezone

from users.login.sealing import key_fingerprint

from . import pictures
from .archive import SECRET_KEY, ArchiveWriter, BackupError, Manifest, draft_of
from .snapshot import Snapshot
from .stores import engine, kept_key, vendor


def path_for(target: Path) -> Path:
    """In a folder, the file is named after the time."""
    if target.is_dir():
        return target / f"socialsite-{timezone.now():%Y%m%d-%H%M%S}.zip"
    return target


def back_up(path: Path, *, force: bool = False) -> Manifest:
    """Everything that SQL had committed when it began is in it."""
    if engine().is_empty():
        raise BackupError("The database has no tables: there is nothing to back up yet")
    with (
        draft_of(path, force=force) as draft,
        engine().snapshot(draft.parent) as snapshot,
        ZipFile(draft, "w") as archive,
    ):
        return _write(snapshot, ArchiveWriter(archive))


def _write(snapshot: Snapshot, archive: ArchiveWriter) -> Manifest:
    """Pictures first: they can be taken off while the backup goes on."""
    pictures.save(snapshot, archive)
    if key := kept_key():
        archive.add(SECRET_KEY, [key.encode()])
    # A dump of PostgreSQL is compressed already.
    archive.add(engine().NAME, snapshot.content(), compressed=vendor() == "sqlite")
    manifest = Manifest(
        made_at=timezone.now().isoformat(timespec="seconds"),
        engine=vendor(),
        migrations=snapshot.migrations(),
        rows=snapshot.rows(),
        key_fingerprint=key_fingerprint(),
        files=archive.files,
    )
    archive.finish(manifest)
    return manifest
