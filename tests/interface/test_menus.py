"""Menus open where they can be seen, close the usual ways, and give the focus back."""

from typing import Any

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.interface.community import DESKTOP, PHONE
from tests.interface.people import Meet, Person
from tests.running_site import wait_for

SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
# Is every entry of a menu in the window, and the topmost thing where it is?
IN_VIEW = """list => [...list.querySelectorAll("a, button, summary")].every((it) => {
  if (!it.checkVisibility()) return true;
  const { left, top, width, height } = it.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return top >= 0 && top + height <= innerHeight && it.contains(there);
})"""
IS_SHEET = """list => {
  const { left, right, bottom } = list.getBoundingClientRect();
  return left === 0 && right === innerWidth && bottom === innerHeight;
}"""
TO_THE_FOOT = "it => scrollBy(0, it.getBoundingClientRect().bottom - innerHeight + 4)"


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _reader(meet: Meet, screen: str, **options: Any) -> Person:
    """With enough to scroll."""
    author, reader = meet("author"), meet("reader", **SCREENS[screen], **options)
    author.has_posted(*(f"Number {number}." for number in range(12)))
    reader.has_followed(author)
    return reader


def _expect_in_view(menu: Locator, screen: str) -> None:
    """On phones at the foot of the screen, over the bar."""
    expect(menu).to_be_visible()
    wait_for(lambda: menu.evaluate(IN_VIEW), what="all of the menu")
    if screen == "phone":
        wait_for(lambda: menu.evaluate(IS_SHEET), what="a sheet")


def test_the_menu_of_a_post_at_the_foot_of_the_window_is_in_view(meet: Meet, screen: str) -> None:
    reader = _reader(meet, screen)
    page, card = reader.page, reader.card("Number 3.")
    more = card.get_by_role("link", name="More")
    more.evaluate(TO_THE_FOOT)
    place = page.evaluate("scrollY")
    menu = page.locator(".menu-list:visible")
    more.evaluate("it => it.click()")
    _expect_in_view(menu, screen)
    expect(menu.get_by_role("link").first).to_be_focused()
    assert page.evaluate("scrollY") == place
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(more).to_be_focused()
    assert more.get_attribute("aria-expanded") == "false"


def test_a_click_beside_a_menu_closes_it(meet: Meet, screen: str) -> None:
    reader = _reader(meet, screen)
    page, card = reader.page, reader.card("Number 11.")
    more = card.get_by_role("link", name="More")
    menu = page.locator(".menu-list:visible")
    more.click()
    _expect_in_view(menu, screen)
    page.mouse.click(200, 75)
    expect(menu).to_have_count(0)
    reader.sees("Home")
    more.click()
    expect(menu).to_be_visible()
    more.evaluate("it => it.click()")
    expect(menu).to_have_count(0)


def test_other_menus_are_in_view_and_close_in_the_same_ways(meet: Meet, screen: str) -> None:
    reader = _reader(meet, screen)
    page = reader.page
    menu = page.locator(".menu-list:visible")
    account = page.get_by_label("Your account").locator("visible=true")
    account.click()
    _expect_in_view(menu, screen)
    page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("link", name="Profile")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(account).to_be_focused()
    account.click()
    expect(menu).to_be_visible()
    account.evaluate("it => it.click()")
    expect(menu).to_have_count(0)

    reader.card("Number 3.").locator(".person").first.click()
    more = page.get_by_label("More about @")
    size = SCREENS[screen]["viewport"]
    page.set_viewport_size(size | {"height": 480})
    more.evaluate(TO_THE_FOOT)
    more.evaluate("it => it.click()")
    _expect_in_view(menu, screen)
    page.set_viewport_size(size)
    menu.get_by_text("Mute @").click()
    expect(menu.get_by_role("button", name="For a week")).to_be_visible()
    _expect_in_view(menu, screen)


def test_a_menu_that_was_opened_before_the_scripts_came_is_put_in_view(meet: Meet) -> None:
    reader = _reader(meet, "desktop")
    page, held = reader.page, list[Route]()
    page.route("**/js/app.*", lambda route: held.append(route))
    page.set_viewport_size({"width": DESKTOP["width"], "height": 480})
    reader.card("Number 3.").locator(".person").first.click()
    more = page.get_by_label("More about @")
    more.evaluate(TO_THE_FOOT)
    more.evaluate("it => it.click()")
    menu = page.locator(".menu-list:visible")
    expect(menu).to_be_visible()
    assert not menu.evaluate(IN_VIEW)
    held[0].continue_()
    _expect_in_view(menu, "desktop")


def test_menus_open_without_scripts(meet: Meet, screen: str) -> None:
    reader = meet("plain", **SCREENS[screen], java_script_enabled=False)
    page = reader.page
    page.get_by_label("Your account").locator("visible=true").click()
    page.get_by_role("link", name="Profile").locator("visible=true").last.click()
    reader.sees(reader.name)
