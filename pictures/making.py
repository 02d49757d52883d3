"""Checks what somebody uploads, and makes the files of a picture from it.

It is decoded and encoded again, so the files hold pixels and nothing else, above all not where a
photo was taken.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import IO, Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.utils.translation import gettext as _
from PIL import Image

from web.body_limits import LONGEST_FILE, MEGABYTES_OF_FILE

from .cropping import WHOLE, Crop
from .decoder import MOST_MEGAPIXELS, Refused, encoded
from .decoding import made_files
from .kinds import JPEG, SMALL, WEBP, PictureKind, storage

# A large picture takes a few hundred megabytes while it is decoded.
_decoding = Lock()
# One at work and one that waits for it: a process has only a few threads, and has to serve pages.
MOST_AT_ONCE = 2
_places = BoundedSemaphore(MOST_AT_ONCE)


class Picture(NamedTuple):
    kind: PictureKind
    files: dict[str, bytes]  # by their endings

    def save(self, token: str) -> None:
        """Raises what the storage raises; `PictureKind.delete` removes what is there by then."""
        for ending, content in self.files.items():
            storage().save(self.kind.file(token, ending), ContentFile(content))


def make_picture(kind: PictureKind, upload: IO[bytes], size: int, crop: Crop = WHOLE) -> Picture:
    """The part that `crop` names, cut to the shape of its kind.

    Raises ValidationError if it is too large, no picture that we take, or one too many.
    """
    if size > LONGEST_FILE:
        words = _("This picture is too large: the limit is %(most)d MB.")
        raise ValidationError(words % {"most": MEGABYTES_OF_FILE}, code="too_large")
    with _place(), _decoding:
        upload.seek(0)  # a request that is done again has been read before
        try:
            return Picture(kind, made_files(upload.read(), task_for(kind, crop)))
        except Refused as refused:
            code = str(refused)
            raise ValidationError(_reason(code), code=code) from refused


def encode(kind: PictureKind, image: Image.Image) -> Picture:
    return Picture(kind, encoded(image, task_for(kind)["files"]))


def task_for(kind: PictureKind, crop: Crop = WHOLE) -> dict[str, Any]:
    files: list[tuple[str, str, int]] = [(WEBP, "WEBP", 0), (JPEG, "JPEG", 0)]
    if kind.small:
        files.append((SMALL, "WEBP", kind.small))
    return {"width": kind.width, "height": kind.height, "crop": crop, "files": files}


def _reason(code: str) -> str:
    if code == "too_many_pixels":
        words = _("This picture has too many pixels: the limit is %(most)d million.")
        return words % {"most": MOST_MEGAPIXELS}
    if code == "too_costly":
        return _(
            "This picture takes too long to read. Choose another, or save it in another format."
        )
    return _("This file can't be read as a picture. Choose a JPEG, PNG, WebP or GIF file.")


@contextmanager
def _place() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        words = _("Many pictures are arriving right now. Try again in a moment.")
        raise ValidationError(words, code="busy")
    try:
        yield
    finally:
        _places.release()
