"""Writing over the page: nobody leaves what they read, and no key goes astray."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.interface.community import DESKTOP, PHONE
from tests.interface.people import Meet, Person
from tests.interface.watching import barriers

SCREENS = [
    pytest.param({"viewport": DESKTOP}, id="desktop"),
    pytest.param(
        {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": "dark"},
        id="phone",
    ),
]
on_each_screen = pytest.mark.parametrize("screen", SCREENS)
Screen = dict[str, Any]


def wait_for_scripts(page: Page) -> None:
    """They make a place for what they say."""
    expect(page.locator("body > [role=status]")).to_have_count(1)


def box_in(page: Page) -> Locator:
    return page.get_by_role("dialog").locator("textarea")


class Gate:
    """Requests wait until it opens."""

    def __init__(self) -> None:
        self._is_open = False
        self._waiting: list[Route] = []

    def pass_or_wait(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._waiting.append(route)

    def open(self) -> None:
        self._is_open = True
        for route in self._waiting:
            route.continue_()


def read_home(reader: Person, author: Person, text: str) -> Locator:
    """The card of what the author posted, on the reader's home."""
    author.has_posted(text)
    reader.has_followed(author)
    wait_for_scripts(reader.page)
    card = reader.card(text)
    expect(card).to_be_visible()
    return card


@on_each_screen
def test_keys_typed_right_after_reply_land_in_the_box(meet: Meet, screen: Screen) -> None:
    author, reader = meet("author"), meet("reader", **screen)
    card = read_home(reader, author, "Encore")
    page, gate = reader.page, Gate()
    for slow in ("**/js/writing*.js", "**/js/compose*.js", "**/compose/?reply_to=*"):
        page.route(slow, gate.pass_or_wait)
    card.get_by_role("link", name="Reply").click()
    page.keyboard.type("bravo!")
    expect(box_in(page)).to_be_focused()
    expect(box_in(page)).to_have_value("bravo!")
    gate.open()
    expect(page.get_by_role("dialog").get_by_role("button", name="Reply")).to_be_visible()
    expect(page.get_by_role("dialog")).to_contain_text("Encore")
    page.keyboard.type(" More!")
    expect(box_in(page)).to_have_value("bravo! More!")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(reader.card("bravo! More!")).to_be_visible()
    expect(page.locator(".toast")).to_have_text("Posted")
    assert page.url.endswith("/")
    boost = card.get_by_role("button", name="Boost").first
    expect(boost).to_have_attribute("aria-pressed", "false")
    expect(card.get_by_role("link", name="Reply 1").first).to_be_focused()


@on_each_screen
def test_the_post_button_opens_a_dialog_anywhere(meet: Meet, screen: Screen) -> None:
    writer = meet("writer", **screen)
    page = writer.page
    page.goto("/explore/")
    wait_for_scripts(page)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Post").click()
    page.keyboard.type("From where I am")
    dialog = page.get_by_role("dialog", name="New post")
    expect(dialog.get_by_label("What's happening?")).to_have_value("From where I am")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Post").click()
    expect(page.locator(".toast")).to_have_text("Posted")
    writer.sees("Explore")
    page.goto("/")
    expect(writer.card("From where I am")).to_have_count(1)
    expect(page.locator("main textarea").first).to_have_value("")


@on_each_screen
def test_a_dialog_fills_a_phone_and_fits_every_screen(meet: Meet, screen: Screen) -> None:
    author, reader = meet("author"), meet("reader", **screen)
    card = read_home(reader, author, "So far " + "and further " * 30)
    card.get_by_role("link", name="Reply").click()
    dialog = reader.page.get_by_role("dialog", name="Reply")
    send = dialog.get_by_role("button", name="Reply")
    expect(send).to_be_in_viewport()
    expect(box_in(reader.page)).to_be_in_viewport()
    assert barriers(reader.page) == []
    box, size = dialog.bounding_box(), screen["viewport"]
    assert box
    if size is PHONE:
        assert (box["width"], box["height"]) == (PHONE["width"], PHONE["height"])
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]


def _press_escape(page: Page) -> None:
    page.keyboard.press("Escape")


def _go_back(page: Page) -> None:
    page.go_back()


def _press_close(page: Page) -> None:
    page.get_by_role("button", name="Close").click()


@on_each_screen
@pytest.mark.parametrize("close", [_press_escape, _go_back, _press_close])
def test_a_dialog_closes_keeps_the_draft_and_gives_the_focus_back(
    meet: Meet, screen: Screen, close: Callable[[Page], None]
) -> None:
    author, reader = meet("author"), meet("reader", **screen)
    card = read_home(reader, author, "Think about it")
    page, reply = reader.page, card.get_by_role("link", name="Reply")
    reply.click()
    page.keyboard.type("Half a thought")
    page.get_by_role("dialog").get_by_label("Who can see it").select_option("Followers only")
    close(page)
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(reply).to_be_focused()
    reader.sees("Home")
    assert page.url.endswith("/")
    reply.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Reply")).to_be_visible()
    expect(box_in(page)).to_have_value("Half a thought")
    expect(dialog.get_by_label("Who can see it")).to_have_value("2")
    page.reload()
    expect(dialog.get_by_role("button", name="Reply")).to_be_visible()
    expect(box_in(page)).to_have_value("Half a thought")
    expect(dialog.get_by_label("Who can see it")).to_have_value("2")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


@on_each_screen
def test_what_goes_wrong_is_said_in_the_dialog_and_the_text_stays(
    meet: Meet, screen: Screen
) -> None:
    writer = meet("writer", expected="ERR_FAILED", **screen)
    page = writer.page
    wait_for_scripts(page)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Post").click()
    page.keyboard.type("Is this on?")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Post")).to_be_visible()
    page.route("**/statuses/", lambda route: route.abort())
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("No connection")
    expect(box_in(page)).to_have_value("Is this on?")
    expect(box_in(page)).to_be_focused()
    page.unroute("**/statuses/")
    page.keyboard.press("Control+Enter")
    expect(dialog).to_have_count(0)
    expect(writer.card("Is this on?")).to_have_count(1)


@on_each_screen
def test_links_to_the_box_focus_it(meet: Meet, screen: Screen) -> None:
    writer = meet("writer", **screen)
    writer.has_posted("Say something")
    page, card = writer.page, writer.card("Say something")
    page.goto("/explore/")
    page.goto("/#compose")
    expect(page.locator("#compose")).to_be_focused()
    address = card.locator(".status-time").get_attribute("href")
    page.goto(f"{address}#reply")
    expect(page.locator("#reply")).to_be_focused()
    page.locator("h1").click()
    card.get_by_role("link", name="Reply").click()
    page.keyboard.type("bravo!")
    expect(page.locator("#reply")).to_have_value("bravo!")
    page.goto(f"{address}")
    page.evaluate("location.hash = 'reply'")
    expect(page.locator("#reply")).to_be_focused()


def test_shortcuts_that_others_see_need_a_card_chosen_by_keyboard(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    card = read_home(reader, author, "Mind the keys")
    page = reader.page
    like, boost = (card.get_by_role("button", name=name) for name in ("Like", "Boost"))
    card.get_by_role("button", name="Bookmark").click()
    page.keyboard.press("b")
    page.keyboard.press("l")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(card).to_be_focused()
    for button in (like, boost):
        expect(button).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("b")
    expect(boost).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("l")
    expect(like).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("r")
    page.keyboard.type("by keys")
    expect(box_in(page)).to_have_value("by keys")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("dialog", name="New post").locator("textarea")).to_be_focused()


def test_single_key_shortcuts_can_be_turned_off(meet: Meet) -> None:
    writer = meet("writer")
    writer.has_posted("Voice control")
    page = writer.page
    page.goto("/settings/appearance/")
    page.get_by_role("switch", name="Single-key shortcuts").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("switch", name="Single-key shortcuts")).not_to_be_checked()
    page.goto("/")
    wait_for_scripts(page)
    for key in "jlbrn?":
        page.keyboard.press(key)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Post").click()
    page.keyboard.type("still here")
    page.keyboard.press("Control+Enter")
    expect(writer.card("still here")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    like = writer.card("Voice control").get_by_role("button", name=re.compile("^Like"))
    expect(like).to_have_attribute("aria-pressed", "false")
