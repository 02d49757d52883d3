"""The same site for everybody: by keyboard, on a phone, without scripts, in Chinese."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.interface.community import PHONE
from tests.interface.people import PASSWORD, Meet

FURTHEST = 120
IS_FOCUSED = "it => it === document.activeElement"
SHOWS_FOCUS = """it => {
  const { outlineStyle, boxShadow } = getComputedStyle(it);
  return outlineStyle !== "none" || boxShadow !== "none";
}"""


def _press_tab_until_at(page: Page, wanted: Locator) -> None:
    expect(wanted).to_be_visible()
    for _ in range(FURTHEST):
        page.keyboard.press("Tab")
        if wanted.evaluate(IS_FOCUSED):
            assert wanted.evaluate(SHOWS_FOCUS), f"{wanted} does not show that it has the focus"
            return
    raise AssertionError(f"{FURTHEST} tabs don't lead to {wanted}")


def _wait_for_scripts(page: Page) -> None:
    """They make a place for what they say."""
    expect(page.locator("body > [role=status]")).to_have_count(1)


def test_a_keyboard_is_enough(meet: Meet) -> None:
    person = meet("keys", is_new=True)
    page, keyboard = person.page, person.page.keyboard

    def enters(wanted: Locator) -> None:
        _press_tab_until_at(page, wanted)
        keyboard.press("Enter")

    page.goto("/")
    keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    enters(page.get_by_role("link", name="Create an account"))
    person.sees("Join Socialsite")
    expect(page.get_by_label("Username")).to_be_focused()
    keyboard.type(person.name)
    for label, words in (("E-mail address", f"{person.name}@example.com"), ("Password", PASSWORD)):
        _press_tab_until_at(page, page.get_by_label(label))
        keyboard.type(words)
    keyboard.press("Enter")
    person.sees(f"Welcome, {person.name}!")
    enters(page.get_by_role("button", name="Skip all of this"))
    person.sees("Home")
    _wait_for_scripts(page)

    keyboard.press("n")
    keyboard.type("Look, no mouse")
    expect(page.get_by_role("dialog").locator("textarea")).to_have_value("Look, no mouse")
    keyboard.press("Control+Enter")
    card = person.card("Look, no mouse")
    expect(card).to_be_visible()
    enters(card.get_by_role("link", name="More"))
    expect(card.get_by_role("link", name="Link to this post")).to_be_focused()
    delete = card.get_by_role("link", name="Delete")
    for _ in range(2):
        keyboard.press("ArrowDown")
    expect(delete).to_be_focused()
    keyboard.press("Enter")
    expect(page.get_by_text("The post is deleted.")).to_be_visible()

    enters(page.get_by_role("navigation", name="Main").get_by_role("link", name="Explore"))
    person.sees("Explore")
    _wait_for_scripts(page)
    keyboard.press("j")
    first = page.get_by_role("article").first
    expect(first).to_be_focused()
    keyboard.press("l")
    expect(first.get_by_role("button", name="Like")).to_have_attribute("aria-pressed", "true")
    keyboard.press("o")
    person.sees("Post by")
    _wait_for_scripts(page)
    keyboard.press("g")
    keyboard.press("h")
    person.sees("Home")
    enters(page.get_by_label("Your account").locator("visible=true"))
    enters(page.get_by_role("button", name="Log out"))
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()


def test_a_phone_is_enough(meet: Meet) -> None:
    person = meet("phone", is_new=True, viewport=PHONE, has_touch=True, is_mobile=True)
    page = person.page
    page.goto("/")
    person.sees("Good company")
    page.get_by_role("link", name="Create an account").tap()
    person.sees("Join Socialsite")
    person.fills_in_sign_up()
    person.sees("Welcome")
    page.get_by_role("button", name="Skip all of this").tap()
    person.sees("Home")
    places = page.get_by_role("navigation", name="Main").get_by_role("list")
    box = places.bounding_box()
    assert box
    assert PHONE["height"] - 100 < box["y"] < box["y"] + box["height"] <= PHONE["height"]

    person.goes_to("Explore")
    person.sees("Explore")
    like = page.get_by_role("article").first.get_by_role("button", name="Like")
    like.tap()
    expect(like).to_have_attribute("aria-pressed", "true")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Post").tap()
    page.keyboard.type("From the bus")
    page.get_by_role("dialog").get_by_role("button", name="Post").tap()
    expect(page.locator(".toast")).to_have_text("Posted")
    person.goes_to("Home")
    person.sees("Home")
    card = person.card("From the bus")
    person.opens_menu_of(card)
    card.get_by_role("link", name="Delete").tap()
    expect(page.get_by_text("The post is deleted.")).to_be_visible()
    page.get_by_label("Your account").locator("visible=true").tap()
    page.get_by_role("link", name="Settings").locator("visible=true").tap()
    person.sees("Settings")
    page.get_by_role("main").get_by_role("button", name="Log out").locator("visible=true").tap()
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()


@pytest.mark.long
def test_pages_without_scripts_are_enough(meet: Meet) -> None:
    person, other = meet("plain", is_new=True, java_script_enabled=False), meet("other")
    other.posts("Tea or coffee?")
    page = person.page
    page.goto("/signup/")
    person.fills_in_sign_up()
    person.sees(f"Welcome, {person.name}!")
    page.get_by_role("button", name="Save and continue").click()
    person.sees("What interests you?")
    page.get_by_label("Other tags").fill("#teatime")
    page.get_by_role("button", name="Follow and continue").click()
    person.sees("Who would you like to follow?")
    page.get_by_role("button", name=re.compile("^Follow @")).first.click()
    expect(page.get_by_text("You follow 1 person.")).to_be_visible()
    page.get_by_role("link", name="Continue").click()
    person.sees("Say hello")
    person.posts("No scripts here")
    person.follows(other)
    person.goes_to("Home")
    person.sees("Home")
    card = person.card("Tea or coffee?")
    for action in ("Boost", "Like", "Bookmark"):
        button = card.get_by_role("button", name=action).first
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    card.get_by_role("link", name="Reply").first.click()
    person.sees("Post by")
    page.get_by_role("textbox", name="Your reply").fill("Coffee")
    page.get_by_role("button", name="Reply", exact=True).click()
    person.sees("Post by")
    expect(person.card("Coffee").last).to_be_visible()

    person.goes_to("Home")
    card = person.card("No scripts here")
    person.opens_menu_of(card)
    person.sees("What to do with this post")
    page.get_by_role("link", name="Edit").click()
    person.sees("Edit your post")
    page.get_by_label("Your post").fill("Still no scripts")
    page.get_by_role("button", name="Save").click()
    person.sees("Home")
    person.opens_menu_of(person.card("Still no scripts"))
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    person.sees("Home")
    expect(page.get_by_text("The post is deleted.")).to_be_visible()

    page.goto("/explore/newest/")
    first = page.get_by_role("article").first.get_attribute("id")
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_role("article").first).not_to_have_id(first or "")
    page.get_by_label("Your account").locator("visible=true").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("link", name="Log in", exact=True)).to_be_visible()


PLACES = ("首页", "探索", "通知", "设置")


def _sees_places_in_chinese(page: Page) -> None:
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    for name in PLACES:
        expect(page.get_by_role("link", name=name).first).to_be_visible()


def test_a_chinese_browser_gets_chinese_pages(meet: Meet) -> None:
    person = meet("zhang", is_new=True, locale="zh-CN")
    page = person.page
    page.goto("/signup/")
    page.get_by_label("用户名").fill(person.name)
    page.get_by_label("邮箱地址").fill(f"{person.name}@example.com")
    page.get_by_label("密码").fill(PASSWORD)
    page.get_by_role("button", name="创建账号").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(person.name)
    _sees_places_in_chinese(page)
    page.get_by_role("link", name="首页").click()
    page.locator("#compose").fill("你好，世界！")
    page.locator(".composer").get_by_role("button", name="发布").click()
    expect(person.card("你好，世界！")).to_be_visible()
    person.sees("首页")
    page.get_by_role("link", name="设置").first.click()
    person.sees("设置")


def test_a_member_chooses_chinese(meet: Meet) -> None:
    person = meet("zoe")
    page = person.page
    person.goes_to("Settings")
    page.get_by_role("link", name="Appearance and language").click()
    person.sees("Appearance")
    page.get_by_role("radio", name="简体中文").check()
    page.get_by_role("button", name="Save").click()
    person.sees("外观")
    _sees_places_in_chinese(page)
    for name in ("首页", "探索", "通知"):
        page.get_by_role("link", name=name).first.click()
        person.sees(name)
        _sees_places_in_chinese(page)
    page.goto(f"/@{person.name}/")
    expect(page.get_by_text(re.compile(r"20\d\d ?年"))).to_be_visible()
