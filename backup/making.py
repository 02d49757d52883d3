from pathlib import Path
from zipfile import ZipFile

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils import timezone

from redistools.sealing import key_fingerprint

from . import pictures
from .archive import SECRET_KEY, ArchiveWriter, BackupError, Manifest, bar, draft_of, file_of
from .snapshot import Snapshot, snapshot, tables_of


def path_for(target: Path) -> Path:
    if target.is_dir():
        return target / f"socialsite-{timezone.now():%Y%m%d-%H%M%S}.zip"
    return target


def back_up(path: Path, *, force: bool = False) -> Manifest:
    """Everything that SQL had committed when it began is in it."""
    if not tables_of(connections[DEFAULT_DB_ALIAS]):
        raise BackupError("The database has no tables: there is nothing to back up yet")
    with draft_of(path, force=force) as draft, ZipFile(draft, "w") as file:
        archive = ArchiveWriter(file)
        with snapshot() as moment:
            manifest = _write_rows(moment, archive)
            shown = pictures.names(moment)
        pictures.save(shown, archive)
        if key := kept_key():
            archive.add(SECRET_KEY, [key.encode()])
        archive.finish(manifest)
        return manifest


def _write_rows(moment: Snapshot, archive: ArchiveWriter) -> Manifest:
    rows = moment.rows()
    with bar("database", sum(rows.values()), unit="rows") as progress:
        for table in rows:
            archive.add(file_of(table), moment.content(table, progress), compressed=True)
    return Manifest(
        made_at=timezone.now().isoformat(timespec="seconds"),
        migrations=moment.migrations(),
        rows=rows,
        sequences=moment.sequences(),
        key_fingerprint=key_fingerprint(),
        files=archive.files,
    )


def kept_key() -> str | None:
    path = settings.DATA_DIR / "secret_key"
    key = path.read_text().strip() if path.exists() else None
    return key if key == settings.SECRET_KEY else None
