"""What is made of an upload, and what is refused."""

import io
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest
from django.core.exceptions import ValidationError
from PIL import Image, ImageCms

from pictures import decoder, decoding, making
from pictures.kinds import JPEG, SMALL, WEBP, PictureKind
from pictures.making import Picture, make_picture
from tests.pictures.drawing import (
    BLUE,
    GREEN,
    RED,
    bomb,
    encoded,
    halves,
    looks_like,
    many_passes,
    opened,
    photo,
)
from tests.running_site import wait_for
from users.pictures.kinds import AVATAR, HEADER, PICTURES
from web.body_limits import LONGEST_FILE

LEFT, RIGHT, TOP, BOTTOM = (0.2, 0.5), (0.8, 0.5), (0.5, 0.2), (0.5, 0.8)


def made(content: bytes, kind: PictureKind = AVATAR) -> Picture:
    return make_picture(kind, io.BytesIO(content), len(content))


def refusal(content: bytes) -> str | None:
    with pytest.raises(ValidationError) as caught:
        made(content)
    return caught.value.code


def test_an_avatar_is_a_square_in_three_files() -> None:
    files = {ending: opened(it) for ending, it in made(encoded(halves())).files.items()}
    assert {ending: (it.format, it.size) for ending, it in files.items()} == {
        WEBP: ("WEBP", (400, 400)),
        JPEG: ("JPEG", (400, 400)),
        SMALL: ("WEBP", (96, 96)),
    }
    for image in files.values():
        assert looks_like(image, LEFT, RED)
        assert looks_like(image, RIGHT, BLUE)


def test_a_header_is_three_times_as_wide_as_high() -> None:
    files = {ending: opened(it) for ending, it in made(encoded(halves()), HEADER).files.items()}
    assert {ending: (it.format, it.size) for ending, it in files.items()} == {
        WEBP: ("WEBP", (1500, 500)),
        JPEG: ("JPEG", (1500, 500)),
    }


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP", "GIF"])
def test_four_formats_are_taken(format_: str) -> None:
    image = opened(made(encoded(halves(), format_)).files[WEBP])
    assert looks_like(image, LEFT, RED)
    assert looks_like(image, RIGHT, BLUE)


@pytest.mark.parametrize("format_", ["BMP", "TIFF", "ICO", "PDF"])
def test_others_are_not(format_: str) -> None:
    assert refusal(encoded(halves(64, 64), format_)) == "no_picture"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16"])
def test_any_kind_of_pixels_will_do(mode: str) -> None:
    image = Image.new("I;16", (50, 50)) if mode == "I;16" else halves(50, 50).convert(mode)
    assert opened(made(encoded(image)).files[JPEG]).mode == "RGB"


def test_printers_colours_will_do() -> None:
    image = opened(made(encoded(halves().convert("CMYK"), "JPEG")).files[WEBP])
    assert looks_like(image, LEFT, RED)


def test_nothing_is_left_but_pixels() -> None:
    content = photo()
    assert b"SECRET CAMERA" in content
    assert b"SECRET COMMENT" in content
    for file in made(content).files.values():
        assert b"SECRET" not in file
        assert b"Exif" not in file
        assert dict(opened(file).getexif()) == {}
        assert not {"exif", "comment", "icc_profile", "xmp"} & opened(file).info.keys()


def test_text_in_a_png_and_the_xmp_of_a_webp_go_too() -> None:
    secret = b"<x:xmpmeta>SECRET</x:xmpmeta>"
    for file in made(encoded(halves(), "WEBP", xmp=secret)).files.values():
        assert b"SECRET" not in file
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for file in made(encoded(halves(), icc_profile=profile)).files.values():
        assert "icc_profile" not in opened(file).info


@pytest.mark.parametrize(
    ("orientation", "red"),
    [(1, LEFT), (2, RIGHT), (3, RIGHT), (4, LEFT), (5, TOP), (6, TOP), (7, BOTTOM), (8, BOTTOM)],
)
def test_photos_are_put_upright(orientation: int, red: tuple[float, float]) -> None:
    blue = (1 - red[0], 1 - red[1])
    for kind in PICTURES:
        image = opened(made(photo(orientation), kind).files[JPEG])
        assert image.size == (kind.width, kind.height)
        assert looks_like(image, red, RED)
        assert looks_like(image, blue, BLUE)


def test_a_transparent_picture_stands_on_white() -> None:
    image = Image.new("RGBA", (100, 100), (0, 0, 0, 0))
    image.paste((*GREEN, 255), (0, 0, 50, 100))
    for file in made(encoded(image)).files.values():
        assert looks_like(opened(file), LEFT, GREEN)
        assert looks_like(opened(file), RIGHT, (255, 255, 255))


def test_of_a_moving_picture_the_first_frame_is_taken() -> None:
    frames = [Image.new("RGB", (80, 80), colour) for colour in (GREEN, RED, BLUE)]
    for format_ in ("GIF", "WEBP", "PNG"):
        content = encoded(frames[0], format_, save_all=True, append_images=frames[1:])
        image = opened(made(content).files[WEBP])
        assert looks_like(image, LEFT, GREEN)
        assert getattr(image, "n_frames", 1) == 1


def test_the_middle_of_a_long_picture_is_kept() -> None:
    image = Image.new("RGB", (900, 100), RED)
    image.paste(GREEN, (400, 0, 500, 100))
    fitted = opened(made(encoded(image)).files[WEBP])
    assert looks_like(fitted, LEFT, GREEN)
    assert looks_like(fitted, RIGHT, GREEN)


@pytest.mark.parametrize("size", [(1, 1), (1, 3_000), (3_000, 1)])
def test_the_smallest_and_the_thinnest_will_do(size: tuple[int, int]) -> None:
    assert opened(made(encoded(Image.new("RGB", size, RED))).files[JPEG]).size == (400, 400)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello, I am a text",
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
        encoded(halves())[:300],
        photo()[:-2_000],
        encoded(halves(), "WEBP")[:-100],
        b"\xff\xd8\xff" + b"\0" * 1_000,
    ],
)
def test_what_is_no_whole_picture_is_refused(content: bytes) -> None:
    assert refusal(content) == "no_picture"


def test_broken_pictures_never_raise_anything_else() -> None:
    """In this process: 240 of their own would take half a minute."""
    chance = random.Random(7)
    wholes = [encoded(halves(60, 40), format_) for format_ in ("JPEG", "PNG", "WEBP", "GIF")]
    for whole in wholes:
        for _ in range(60):
            content = bytearray(whole)
            for _ in range(chance.randint(1, 8)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            with suppress(decoder.Refused):
                decoder.files_from(bytes(content), making.task_for(AVATAR))


@pytest.mark.parametrize("size", [(6_400, 6_400), (30_000, 30_000), (2**31 - 1, 2**31 - 1)])
def test_bombs_are_refused_before_they_are_decoded(size: tuple[int, int]) -> None:
    assert refusal(bomb(*size)) == "too_many_pixels"


def test_the_same_upload_can_be_looked_at_again() -> None:
    """As by a request that is repeated after a deadlock."""
    upload = io.BytesIO(photo())
    first, second = (make_picture(AVATAR, upload, 1) for _ in range(2))
    assert first == second


def test_a_jpeg_of_very_many_passes_is_refused() -> None:
    assert refusal(many_passes(halves(64, 64), 1_000)) == "too_costly"
    assert made(many_passes(halves(64, 64), 3)).files


def test_the_larger_a_jpeg_the_fewer_passes_it_may_have() -> None:
    large = Image.new("L", (6_000, 6_000))
    assert refusal(many_passes(large, 20)) == "too_costly"
    assert made(many_passes(large, 1)).files
    assert made(many_passes(large.resize((600, 600)), 20)).files


def test_only_passes_of_the_picture_itself_count() -> None:
    """Phones add a film, or another picture; cameras a small one before it."""
    thumbnail = many_passes(halves(64, 64), 300)
    content = encoded(halves(), "JPEG", exif=b"Exif\0\0" + thumbnail[:60_000])
    assert decoder.count_passes(content) == 1
    assert decoder.count_passes(content + thumbnail) == 1
    assert decoder.count_passes(thumbnail) > 300
    assert made(content + thumbnail).files


@pytest.mark.parametrize(
    "lines",
    [
        "while True: pass",
        "bytearray(64 << 30)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import time; time.sleep(600)",
    ],
    ids=["busy", "memory", "crash", "asleep"],
)
def test_a_picture_that_brings_the_decoder_down_brings_down_nothing_else(
    lines: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = decoding.ROOT / "pictures"
    copied = tmp_path / "pictures"
    shutil.copytree(folder, copied)
    program = copied / "decoder.py"
    limits = "CPU_SECONDS = 10\n"
    assert limits in program.read_text()
    text = program.read_text().replace(limits, "CPU_SECONDS = 1\n")
    # In place of a decoder.
    text = text.replace("    orientation = image", f"    {lines}\n    orientation = image", 1)
    program.write_text(text)
    monkeypatch.setattr(decoding, "ROOT", tmp_path)
    monkeypatch.setattr(decoding, "PATIENCE_SECONDS", 5.0)
    assert refusal(encoded(halves())) == "too_costly"


def test_a_decoder_that_can_not_start_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(decoding, "ROOT", tmp_path)
    with pytest.raises(RuntimeError, match="No module named"):
        made(encoded(halves()))


def test_a_large_file_is_refused_before_it_is_looked_at() -> None:
    class Unreadable(io.BytesIO):
        def read(self, *_arguments: object) -> bytes:
            raise AssertionError("it was read")

    with pytest.raises(ValidationError, match="8 MB"):
        make_picture(AVATAR, Unreadable(), LONGEST_FILE + 1)


def test_colours_are_those_of_the_profile() -> None:
    """A profile that swaps nothing leaves them, one that can't be read is ignored."""
    broken = encoded(halves(), icc_profile=b"nonsense")
    assert looks_like(opened(made(broken).files[WEBP]), LEFT, RED)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert looks_like(opened(made(encoded(halves(), icc_profile=profile)).files[WEBP]), LEFT, RED)


class SlowUpload(io.BytesIO):
    """Is read once it may be."""

    def __init__(self) -> None:
        super().__init__(encoded(halves()))
        self.may_be_read = Event()

    def read(self, size: int | None = -1) -> bytes:
        assert self.may_be_read.wait(30)
        return super().read(size)


def test_many_pictures_at_once_leave_threads_for_the_pages() -> None:
    slow = [SlowUpload() for _ in range(making.MOST_AT_ONCE)]
    with ThreadPoolExecutor(len(slow)) as pool:
        waiting = [pool.submit(make_picture, AVATAR, it, 1) for it in slow]
        wait_for(lambda: not making._places._value, what="all places to be taken")
        assert refusal(encoded(halves())) == "busy"
        for upload in slow:
            upload.may_be_read.set()
        assert all(it.result().files for it in waiting)
    assert made(encoded(halves())).files
