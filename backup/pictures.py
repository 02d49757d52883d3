from collections.abc import Iterator, Sequence
from contextlib import suppress

from django.core.files.base import ContentFile

from pictures.kinds import PictureKind, all_kinds, storage

from .archive import ArchiveReader, ArchiveWriter, bar, pieces
from .snapshot import Snapshot

FOLDER = "media/"


def names(snapshot: Snapshot) -> list[str]:
    return [name for kind in all_kinds() for name in _names_of(kind, snapshot)]


def _names_of(kind: PictureKind, snapshot: Snapshot) -> Iterator[str]:
    table, column = kind.table, kind.column
    tokens = snapshot.query(
        f'SELECT "{column}" FROM "{table}" WHERE "{column}" <> \'\''  # noqa: S608 - our own names
    )
    for (token,) in tokens:
        yield from kind.files(token)


def save(wanted: Sequence[str], archive: ArchiveWriter) -> None:
    """A picture that its owner took off since then is left out."""
    with bar("pictures", len(wanted), unit="files") as progress:
        for name in wanted:
            with suppress(FileNotFoundError), storage().open(name) as file:
                archive.add(f"{FOLDER}{name}", pieces(file))
            progress.update()


def load(archive: ArchiveReader) -> None:
    """Those that are in the storage already stay: a file never changes."""
    wanted = archive.names(FOLDER)
    with bar("pictures", len(wanted), unit="files") as progress:
        for member in wanted:
            name = member.removeprefix(FOLDER)
            if not storage().exists(name):
                storage().save(name, ContentFile(b"".join(archive.read(member))))
            progress.update()
