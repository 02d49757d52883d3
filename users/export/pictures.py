from collections.abc import Iterator

from pictures import files
from pictures.kinds import PictureKind

from ..models import User
from ..pictures.kinds import PICTURES


def picture_name(user: User, kind: PictureKind) -> str | None:
    return f"{kind.column}.jpg" if getattr(user, kind.column) else None


def pictures(user: User) -> Iterator[tuple[str, bytes]]:
    for kind in PICTURES:
        if name := picture_name(user, kind):
            content = files.read(kind, getattr(user, kind.column))
            if content is not None:  # it may have been replaced meanwhile
                yield name, content
