"""Checks what somebody uploads, and makes the files of a picture from it.

What was uploaded is never kept: it is decoded and encoded again, so the files hold pixels and
nothing else, above all not where a photo was taken.
"""

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import BoundedSemaphore, Lock
from typing import IO, NamedTuple

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from PIL import Image, ImageCms, ImageOps

from .cropping import WHOLE, Crop
from .kinds import JPEG, SMALL, WEBP, Kind

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MEGABYTE = 1024 * 1024
MOST_MEGABYTES = 8
MOST_MEGAPIXELS = 40
# A JPEG that comes in thousands of passes takes minutes to decode; cameras write a dozen at most.
PASS = b"\xff\xda"
MOST_PASSES = 500
WEBP_OPTIONS = {"quality": 82, "method": 4}
JPEG_OPTIONS = {"quality": 85, "optimize": True, "progressive": True}
# How cameras note in which way they were held, and what puts the picture upright.
ORIENTATION = 0x0112
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
ON_ITS_SIDE = frozenset({5, 6, 7, 8})

# Pillow looks at the size in the head of a file, before it decodes anything.
Image.MAX_IMAGE_PIXELS = MOST_MEGAPIXELS * 1_000_000
warnings.simplefilter("error", Image.DecompressionBombWarning)
# A large picture takes a few hundred megabytes while it is decoded.
_decoding = Lock()
# One at work and one that waits for it: a process has only a few threads, and has to serve pages.
MOST_AT_ONCE = 2
_places = BoundedSemaphore(MOST_AT_ONCE)


class Picture(NamedTuple):
    kind: Kind
    files: dict[str, bytes]
    """By their endings."""


def make_picture(kind: Kind, upload: IO[bytes], size: int, crop: Crop = WHOLE) -> Picture:
    """Of the part that `crop` names, cut to the shape of its kind. Raises ValidationError if it is
    too large, no picture that we take, or one too many.
    """
    if size > MOST_MEGABYTES * MEGABYTE:
        raise ValidationError(
            _("This picture is too large: the limit is %(most)d MB.") % {"most": MOST_MEGABYTES},
            code="too_large",
        )
    with _place(), _decoding:
        return encode(kind, _decoded(kind, upload, crop))


@contextmanager
def _place() -> Iterator[None]:
    """Raises ValidationError if all are taken."""
    if not _places.acquire(blocking=False):
        raise ValidationError(
            _("Many pictures are arriving right now. Try again in a moment."), code="busy"
        )
    try:
        yield
    finally:
        _places.release()


def encode(kind: Kind, image: Image.Image) -> Picture:
    """Of a picture that has the right shape."""
    files = {
        WEBP: _written(image, "WEBP", **WEBP_OPTIONS),
        JPEG: _written(image, "JPEG", **JPEG_OPTIONS),
    }
    if side := kind.shape.small:
        small = image.resize((side, side), Image.Resampling.LANCZOS)
        files[SMALL] = _written(small, "WEBP", **WEBP_OPTIONS)
    return Picture(kind, files)


def _written(image: Image.Image, format_: str, **options: int) -> bytes:
    file = io.BytesIO()
    image.save(file, format_, **options)
    return file.getvalue()


def _decoded(kind: Kind, upload: IO[bytes], crop: Crop) -> Image.Image:
    upload.seek(0)  # a request that is done again has been read before
    content = upload.read()
    try:
        if content.startswith(b"\xff\xd8") and content.count(PASS) > MOST_PASSES:
            raise ValueError("too many passes")
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            return _fitted(image, kind.shape.width, kind.shape.height, crop)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise ValidationError(
            _("This picture has too many pixels: the limit is %(most)d million.")
            % {"most": MOST_MEGAPIXELS},
            code="too_many_pixels",
        ) from error
    except Exception as error:  # decoders raise whatever a broken file makes them stumble over
        raise ValidationError(
            _("This file can't be read as a picture. Choose a JPEG, PNG, WebP or GIF file."),
            code="no_picture",
        ) from error


def _fitted(image: Image.Image, width: int, height: int, crop: Crop) -> Image.Image:
    """The first frame, upright, cut to the shape around the middle of the crop, on white."""
    orientation = image.getexif().get(ORIENTATION)
    across = (height, width) if orientation in ON_ITS_SIDE else (width, height)
    part = crop.turned(orientation)
    # Large photos are decoded at a fraction of their size.
    image.draft(None, part.whole_of(across))
    profile = image.info.get("icc_profile")
    resizable = _resizable(image)
    wanted = resizable if part == WHOLE else resizable.crop(part.pixels(resizable.size))
    fitted = ImageOps.fit(wanted, across, Image.Resampling.LANCZOS)
    upright = fitted.transpose(TURNS[orientation]) if orientation in TURNS else fitted
    return _on_white(_in_srgb(upright, profile))


def _resizable(image: Image.Image) -> Image.Image:
    """Palettes and other rare modes can't be resized smoothly."""
    if image.mode in ("RGB", "RGBA", "L", "CMYK") and "transparency" not in image.info:
        return image
    return image.convert("RGBA")


def _in_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The colours that the camera meant: the profile which explains them is not kept."""
    if profile and image.mode in ("RGB", "L", "CMYK"):
        with suppress(ImageCms.PyCMSError, OSError, ValueError):
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            srgb = ImageCms.createProfile("sRGB")
            converted = ImageCms.profileToProfile(image, source, srgb, outputMode="RGB")
            return converted or image
    return image


def _on_white(image: Image.Image) -> Image.Image:
    """A new picture, to which nothing else is attached."""
    plain = Image.new("RGB", image.size, "white")
    rgb = image.convert("RGB")
    plain.paste(rgb, mask=image.getchannel("A") if image.mode == "RGBA" else None)
    return plain
