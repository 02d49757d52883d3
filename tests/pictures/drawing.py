"""Real pictures, as people upload them."""

import io
import struct
import zlib
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from pictures.kinds import PictureKind, storage

RED, GREEN, BLUE = (220, 30, 30), (30, 200, 30), (30, 30, 220)
CANON, ORIENTATION, GPS, LATITUDE = 0x010F, 0x0112, 0x8825, 2


def halves(width: int = 600, height: int = 400) -> Image.Image:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def encoded(image: Image.Image, format_: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, format_, **options)
    return file.getvalue()


def photo(orientation: int = 1, image: Image.Image | None = None) -> bytes:
    """With what a phone writes into it: its maker, how it was held, and where."""
    exif = Image.Exif()
    exif[CANON] = "SECRET CAMERA"
    exif[ORIENTATION] = orientation
    exif.get_ifd(GPS)[LATITUDE] = (52.0, 31.0, 12.0)
    return encoded(
        image or halves(), "JPEG", exif=exif, comment=b"SECRET COMMENT", quality=95, subsampling=0
    )


def many_passes(image: Image.Image, times: int) -> bytes:
    """A JPEG that repeats its last pass."""
    content = encoded(image, "JPEG", progressive=True)
    last = content.rindex(b"\xff\xda")
    return content[:last] + content[last:-2] * times + content[-2:]


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is huge."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def upload(content: bytes, name: str = "me.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def opened(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    image.load()
    return image


def stored(kind: PictureKind, token: str) -> list[bool]:
    """Is each file of the picture there?"""
    return [storage().exists(name) for name in kind.files(token)]


def looks_like(
    image: Image.Image, place: tuple[float, float], colour: tuple[int, int, int]
) -> bool:
    """At a place from (0, 0) to (1, 1)."""
    spot = (int(place[0] * (image.width - 1)), int(place[1] * (image.height - 1)))
    found = image.convert("RGB").getpixel(spot)
    assert isinstance(found, tuple)
    return all(abs(one - other) < 45 for one, other in zip(found, colour, strict=True))
