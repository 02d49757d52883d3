"""The part of a picture that somebody chose."""

import io

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from PIL import Image

from pictures.cropping import WHOLE, Crop
from pictures.kinds import JPEG, PictureKind
from pictures.making import make_picture
from tests.cast import browser_of
from tests.pictures.drawing import (
    BLUE,
    GREEN,
    RED,
    encoded,
    halves,
    looks_like,
    opened,
    photo,
    upload,
)
from users.models import User
from users.pictures.kinds import AVATAR, PICTURES

EVERYWHERE = [(0.1, 0.1), (0.9, 0.1), (0.5, 0.5), (0.1, 0.9), (0.9, 0.9)]
PAGES = ["/settings/profile/", "/welcome/profile/"]


def quarters() -> Image.Image:
    """Red and blue above, green and white below."""
    image = halves(800, 600)
    image.paste(GREEN, (0, 300, 400, 600))
    image.paste((255, 255, 255), (400, 300, 800, 600))
    return image


def made(content: bytes, crop: Crop, kind: PictureKind = AVATAR) -> Image.Image:
    picture = make_picture(kind, io.BytesIO(content), len(content), crop)
    return opened(picture.files[JPEG])


def is_all(image: Image.Image, colour: tuple[int, int, int]) -> bool:
    return all(looks_like(image, place, colour) for place in EVERYWHERE)


@pytest.mark.parametrize("kind", PICTURES)
def test_only_the_chosen_part_is_seen(kind: PictureKind) -> None:
    for format_ in ("PNG", "JPEG", "WEBP", "GIF"):
        content = encoded(quarters(), format_)
        image = made(content, Crop(0.55, 0.02, 0.97, 0.46), kind)
        assert image.size == (kind.width, kind.height)
        assert is_all(image, BLUE), format_
    assert is_all(made(encoded(quarters()), Crop(0.02, 0.55, 0.4, 0.95), kind), GREEN)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_part_is_that_of_the_picture_as_people_see_it(orientation: int) -> None:
    """The upright one is drawn first; then it is turned as a camera would have held it."""
    back = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}.get(orientation)
    upright = quarters()
    held = upright if back is None else upright.transpose(Image.Transpose(back))
    content = photo(orientation, held)
    assert is_all(made(content, Crop(0.02, 0.02, 0.46, 0.46)), RED)
    assert is_all(made(content, Crop(0.54, 0.02, 0.98, 0.46)), BLUE)
    assert is_all(made(content, Crop(0.02, 0.54, 0.46, 0.98)), GREEN)


def test_a_part_of_a_large_photo_is_sharp() -> None:
    """Decoded at a fraction of its size, a part would be blurred."""
    lines = Image.new("RGB", (4000, 3000), "white")
    for x in range(0, 400, 20):
        lines.paste("black", (x, 0, x + 10, 400))
    image = made(encoded(lines, "JPEG", quality=95), Crop(0, 0, 0.1, 0.1333))
    assert image.convert("L").getextrema() == pytest.approx((0, 255), abs=12)


@pytest.mark.parametrize("size", [(1, 1), (2, 500), (500, 1)])
def test_a_part_of_a_tiny_picture_has_a_pixel(size: tuple[int, int]) -> None:
    content = encoded(Image.new("RGB", size, GREEN))
    assert is_all(made(content, Crop(0.98, 0.98, 0.995, 0.995)), GREEN)


@pytest.mark.parametrize(
    "written",
    [
        *("", "0 0 1", "0 0 1 1 1", "a b c d", "nan 0 1 1", "0 0 inf 1", "-0.1 0 1 1", "0 0 1.1 1"),
        *("0.5 0 0.5 1", "0.6 0 0.4 1", "0 0.999 1 1", "0,0,1,1"),
    ],
)
def test_what_is_no_part_of_a_picture_is_refused(written: str) -> None:
    with pytest.raises(ValidationError, match="can't be read"):
        Crop.read(written)


def test_a_part_is_four_fractions() -> None:
    assert Crop.read("0.1 0.2 0.9 1") == Crop(0.1, 0.2, 0.9, 1)
    assert Crop.read("0 0 1 1") == WHOLE


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_is_cropped_on_both_pages(carol: User, page: str) -> None:
    browser = browser_of(carol)
    shown = browser.get(page).content.decode()
    assert 'name="new_avatar_crop"' in shown
    assert 'enctype="multipart/form-data"' in shown
    _send(browser, page, crop="0.55 0 1 0.45")
    carol.refresh_from_db()
    content = AVATAR.read(carol.avatar)
    assert content is not None
    assert is_all(opened(content), BLUE)


@pytest.mark.parametrize("page", PAGES)
def test_a_bad_part_is_refused_and_changes_nothing(carol: User, page: str) -> None:
    _send(browser_of(carol), page, crop="everything", expected=400)
    carol.refresh_from_db()
    assert carol.avatar == ""
    assert carol.name == ""


def _send(browser: Client, page: str, *, crop: str, expected: int = 302) -> None:
    fields = {"name": "Carol", "bio": "", "new_avatar_crop": crop}
    answer = browser.post(page, fields | {"new_avatar": upload(encoded(quarters()))})
    assert answer.status_code == expected
