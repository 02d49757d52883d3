"""Somebody gives themselves a face."""

import io
import re

from PIL import Image
from playwright.sync_api import FilePayload, expect

from tests.interface.people import Meet, Person

# What people choose opens beneath the field.
OPENS = ".*/profile/"
IS_DRAWN = "it => it.complete && it.naturalWidth > 0"


def _picture(image: Image.Image | None = None) -> FilePayload:
    file = io.BytesIO()
    (image or Image.linear_gradient("L").resize((640, 480))).save(file, "PNG")
    return {"name": "me.png", "mimeType": "image/png", "buffer": file.getvalue()}


def _gives(person: Person, file: FilePayload) -> None:
    person.page.get_by_label("Picture").set_input_files(file)
    person.page.get_by_role("button", name="Save profile").click()


def test_a_picture_becomes_the_avatar_and_other_files_are_refused(meet: Meet) -> None:
    person = meet("painter", expected="400 (Bad Request)")
    person.has_posted("Do you know me?")
    page = person.page
    avatar = person.card("Do you know me?").locator("img")
    expect(avatar).to_have_count(0)
    page.goto("/settings/profile/")
    _gives(person, {"name": "me.png", "mimeType": "image/png", "buffer": b"not a picture at all"})
    person.sees("Profile")
    field = page.get_by_label("Picture")
    expect(page.get_by_text("can't be read as a picture")).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    _gives(person, _picture())
    person.goes_to("Home")
    expect(avatar).to_be_visible()
    assert avatar.evaluate(IS_DRAWN)
    person.sees("Home")


def test_a_newcomer_chooses_what_is_seen_of_a_photo(meet: Meet) -> None:
    """A wide one, red on the left, blue on the right: moved to the blue, and enlarged."""
    person = meet("cropper", jumps_at=OPENS)
    page = person.page
    page.goto("/welcome/profile/")
    stage = page.get_by_role("application", name="What will be seen")
    expect(stage).to_be_hidden()
    wide = Image.new("RGB", (900, 300), (220, 30, 30))
    wide.paste((30, 30, 220), (450, 0, 900, 300))
    page.get_by_label("Photo").set_input_files(_picture(wide))
    expect(stage).to_be_visible()
    edges = page.locator("[name=new_avatar_crop]")
    expect(edges).to_have_value("0.3333 0.0000 0.6667 1.0000")
    stage.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(edges).to_have_value("0.4167 0.0000 0.7500 1.0000")
    box = stage.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] - 200, middle, steps=4)
    page.mouse.up()
    expect(edges).to_have_value("0.6667 0.0000 1.0000 1.0000")
    page.get_by_label("Zoom").fill("2")
    expect(edges).to_have_value("0.7500 0.2500 0.9167 0.7500")
    person.sees(re.compile("Welcome"))
    page.get_by_role("button", name="Save and continue").click()
    person.sees("What interests you?")
    page.goto("/settings/profile/")
    avatar = page.locator("main .avatar").last
    expect(avatar).to_be_visible()
    address = avatar.locator("xpath=self::img | .//img").first.get_attribute("src")
    picture = page.request.get(address or "")
    assert _is_blue(Image.open(io.BytesIO(picture.body())).convert("RGB"))


def _is_blue(image: Image.Image) -> bool:
    red, _green, blue = image.resize((1, 1)).tobytes()
    return red < 60 and blue > 180


def test_what_is_no_picture_has_nothing_to_crop(meet: Meet) -> None:
    page = meet("cropper", jumps_at=OPENS).page
    page.goto("/settings/profile/")
    stages = page.get_by_role("application")
    page.get_by_label("Picture").set_input_files(_picture())
    expect(stages.first).to_be_visible()
    page.get_by_label("Picture").set_input_files(
        {"name": "me.png", "mimeType": "image/png", "buffer": b"not a picture"}
    )
    expect(stages.first).to_be_hidden()
    expect(page.locator("[name=new_avatar_crop]")).to_have_value("")
