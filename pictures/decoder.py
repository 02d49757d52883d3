"""A program that reads one picture and writes the files to be made of it, and ends.

It is given what to make as JSON, and the upload on its standard input: `{"width": 400, "height":
400, "crop": [0, 0, 1, 1], "files": [[".jpg", "JPEG", 0]]}`. It prints `{"files": {".jpg": 12345}}`,
followed by the bytes of each file; or `{"refused": "no_picture"}`.

`decoding.py` runs it in a process of its own with limits on time and memory: a file that brings a
decoder down brings nothing else down. It imports Pillow alone, so it starts in a tenth of a second,
and has nothing to lose.
"""

import io
import json
import os
import re
import resource
import sys
import warnings
from contextlib import suppress
from typing import Any

from PIL import (
    GifImagePlugin,  # noqa: F401 - the formats that we read; others are not loaded
    Image,
    ImageOps,
    JpegImagePlugin,  # noqa: F401
    PngImagePlugin,  # noqa: F401
    WebPImagePlugin,  # noqa: F401
)

from .cropping import WHOLE, Crop

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
MEGAPIXEL = 1_000_000
MOST_MEGAPIXELS = 40
# A JPEG may come in passes, each of which goes over all its pixels. Cameras and programs write a
# dozen at most: enough for the largest picture that we take.
MOST_PASSES = 500
MOST_MEGAPIXELS_OF_PASSES = 12 * MOST_MEGAPIXELS + 20
# The largest pictures that we take need two seconds, and 660 MB as WebP.
CPU_SECONDS = 10
MEMORY_BYTES = 1024 * 1024 * 1024

OPTIONS: dict[str, dict[str, Any]] = {
    "WEBP": {"quality": 82, "method": 4},
    "JPEG": {"quality": 85, "optimize": True, "progressive": True},
}
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

# In a JPEG: what is no part of compressed pixels, and which of those have no length after them.
MARKER = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")
WITHOUT_LENGTH = (0x01, 0xD8)
PASS, END = 0xDA, 0xD9

# Pillow looks at the size in the head of a file, before it decodes anything.
Image.MAX_IMAGE_PIXELS = MOST_MEGAPIXELS * MEGAPIXEL


class Refused(Exception):  # noqa: N818 - reads as what happened
    """With one of the codes that `making.py` has words for."""


def limit_process() -> None:
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def files_from(content: bytes, task: dict[str, Any]) -> dict[str, bytes]:
    size, crop = (task["width"], task["height"]), Crop(*task["crop"])
    return encoded(decoded(content, size, crop), task["files"])


def encoded(image: Image.Image, wanted: list[tuple[str, str, int]]) -> dict[str, bytes]:
    """`wanted`: endings, formats, and the sides of small squares (0: as it is)."""
    files = {}
    for ending, format_, side in wanted:
        file = io.BytesIO()
        resized = image.resize((side, side), Image.Resampling.LANCZOS) if side else image
        resized.save(file, format_, **OPTIONS[format_])
        files[ending] = file.getvalue()
    return files


def decoded(content: bytes, size: tuple[int, int], crop: Crop) -> Image.Image:
    """The first frame, upright, cut to the shape around the middle of the crop, on white."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                if content.startswith(b"\xff\xd8"):
                    _check_passes(content, image)
                return _fitted(image, size, crop)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise Refused("too_many_pixels") from error
    except MemoryError as error:
        raise Refused("too_costly") from error
    except Refused:
        raise
    except Exception as error:  # decoders raise whatever a broken file makes them stumble over
        raise Refused("no_picture") from error


def _check_passes(content: bytes, image: Image.Image) -> None:
    passes = count_passes(content)
    megapixels = image.width * image.height / MEGAPIXEL
    if passes > MOST_PASSES or passes * megapixels > MOST_MEGAPIXELS_OF_PASSES:
        raise Refused("too_costly")


def count_passes(jpeg: bytes) -> int:
    """Goes from marker to marker as decoders do: what looks like one elsewhere does not count."""
    passes, place = 0, 0
    while found := MARKER.search(jpeg, place):
        marker, place = found[1][0], found.end()
        if marker == END:
            break
        if marker not in WITHOUT_LENGTH:
            passes += marker == PASS
            place += int.from_bytes(jpeg[place : place + 2])
    return passes


def _fitted(image: Image.Image, size: tuple[int, int], crop: Crop) -> Image.Image:
    orientation = image.getexif().get(ORIENTATION)
    across = (size[1], size[0]) if orientation in ON_ITS_SIDE else size
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
        from PIL import ImageCms  # most pictures have none

        with suppress(ImageCms.PyCMSError, OSError, ValueError):
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            srgb = ImageCms.createProfile("sRGB")
            converted = ImageCms.profileToProfile(image, source, srgb, outputMode="RGB")
            return converted or image
    return image


def _on_white(image: Image.Image) -> Image.Image:
    plain = Image.new("RGB", image.size, "white")
    rgb = image.convert("RGB")
    plain.paste(rgb, mask=image.getchannel("A") if image.mode == "RGBA" else None)
    return plain


def main() -> None:
    limit_process()
    try:
        files = files_from(sys.stdin.buffer.read(), json.loads(sys.argv[1]))
    except Refused as refused:
        head: dict[str, Any] = {"refused": str(refused)}
        files = {}
    else:
        head = {"files": {ending: len(content) for ending, content in files.items()}}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + b"".join(files.values()))
