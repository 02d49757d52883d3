"""Somebody gives themselves a face."""

import io

from PIL import Image
from playwright.sync_api import FilePayload, expect

from tests.interface.people import Meet, Person

IS_DRAWN = "it => it.complete && it.naturalWidth > 0"


def _picture() -> FilePayload:
    file = io.BytesIO()
    Image.linear_gradient("L").resize((640, 480)).save(file, "PNG")
    return {"name": "me.png", "mimeType": "image/png", "buffer": file.getvalue()}


def _gives(person: Person, file: FilePayload) -> None:
    person.page.get_by_label("Picture").set_input_files(file)
    person.page.get_by_role("button", name="Save profile").click()


def test_a_picture_becomes_the_avatar_and_other_files_are_refused(meet: Meet) -> None:
    person = meet("painter", expected="400 (Bad Request)")
    page = person.page
    person.posts("Do you know me?")
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
