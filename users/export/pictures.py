"""The pictures of an account, in its export."""

from collections.abc import Iterator

from ..models import User
from ..pictures import files
from ..pictures.kinds import Kind


def picture_name(user: User, kind: Kind) -> str | None:
    """In the export; None without one."""
    return f"{kind.value}.jpg" if getattr(user, kind.value) else None


def pictures(user: User) -> Iterator[tuple[str, bytes]]:
    for kind in Kind:
        if name := picture_name(user, kind):
            content = files.read(kind, getattr(user, kind.value))
            if content is not None:  # it may have been replaced meanwhile
                yield name, content
