"""The files of pictures, in the storage that the settings name (`STORAGES["default"]`)."""

from django.core.files.base import ContentFile

from .kinds import JPEG, PictureKind, storage
from .making import Picture


def save(picture: Picture, token: str) -> None:
    """Raises what the storage raises; `delete` removes what it has saved by then."""
    for ending, content in picture.files.items():
        storage().save(picture.kind.file(token, ending), ContentFile(content))


def delete(kind: PictureKind, token: str) -> None:
    """Files that are not there are no error."""
    for name in kind.files(token):
        storage().delete(name)


def read(kind: PictureKind, token: str) -> bytes | None:
    """As JPEG; None if the file is gone."""
    try:
        with storage().open(kind.file(token, JPEG)) as file:
            content: bytes = file.read()
    except FileNotFoundError:
        return None
    return content
