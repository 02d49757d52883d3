"""What somebody wrote stays, as narrow as they chose, until it is posted once."""

import re

from playwright.sync_api import Error, Locator, Page, expect

from tests.interface.people import Meet, Person
from tests.interface.test_writing import Screen, on_each_screen, wait_for_scripts
from tests.running_site import wait_for

WHO = "Who can see it"
LANGUAGE = "Language of this post"
FIRST_POST = "/welcome/post/"
# A draft of several rows moves what is below it when it comes back, wherever that is.
ANYWHERE = ".*"


def _drafts(page: Page) -> list[str]:
    try:
        return list(page.evaluate("Object.keys(localStorage)"))
    except Error:
        return ["the page is being left"]


def write_for_few(page: Page) -> None:
    form = page.locator("main form.composer")
    form.locator("textarea").click()
    page.keyboard.type("Between us")
    form.get_by_label(WHO).select_option("Mentioned people only")
    form.get_by_label(LANGUAGE).select_option("de")
    form.get_by_text("Content warning").click()
    form.get_by_role("textbox", name="Content warning").fill("Secrets")


def expect_for_few(page: Page) -> None:
    form = page.locator("main form.composer")
    expect(form.locator("textarea")).to_have_value("Between us")
    expect(form.get_by_label(WHO)).to_have_value("3")
    expect(form.get_by_label(LANGUAGE)).to_have_value("de")
    expect(form.get_by_role("textbox", name="Content warning")).to_have_value("Secrets")


def expect_nothing(page: Page) -> None:
    form = page.locator("main form.composer")
    expect(form.locator("textarea")).to_have_value("")
    expect(form.get_by_label(WHO)).to_have_value("0")
    expect(form.get_by_label("Content warning")).to_have_value("")


@on_each_screen
def test_a_draft_keeps_its_audience_its_warning_and_its_language(
    meet: Meet, screen: Screen
) -> None:
    writer = meet("writer", jumps_at=ANYWHERE, **screen)
    writer.has_posted("Ask me")
    page = writer.page
    address = writer.card("Ask me").locator(".status-time").get_attribute("href")
    for place in ("/", f"/@{writer.name}/", FIRST_POST, f"{address}"):
        page.goto(place)
        wait_for_scripts(page)
        write_for_few(page)
        page.reload()
        expect_for_few(page)
        page.locator("main form.composer .button-main").click()
        if place == FIRST_POST:
            writer.sees("Home")
        wait_for(lambda: not _drafts(page), what="the draft to be posted")
        page.goto(place)
        wait_for_scripts(page)
        expect(page.locator("main form.composer textarea")).to_have_value("")
        page.evaluate("document.querySelector('main form.composer textarea').focus()")
        expect_nothing(page)


def _edit(writer: Person) -> Locator:
    writer.page.goto(f"/@{writer.name}/")
    card = writer.card("First version")
    writer.opens_menu_of(card)
    card.get_by_role("link", name="Edit", exact=True).click()
    return writer.page.get_by_label("Your post")


@on_each_screen
def test_an_edit_has_a_draft_until_it_is_saved_or_given_up(meet: Meet, screen: Screen) -> None:
    writer = meet("writer", **screen)
    writer.has_posted("First version")
    page, box = writer.page, _edit(writer)
    box.click()
    page.keyboard.press("Control+End")
    page.keyboard.type(", improved")
    page.get_by_label("Content warning").fill("Long")
    page.reload()
    expect(box).to_have_value("First version, improved")
    expect(page.get_by_label("Content warning")).to_have_value("Long")
    page.get_by_role("link", name="Cancel").click()
    box = _edit(writer)
    wait_for_scripts(page)
    expect(box).to_have_value("First version")
    box.fill("First version, at last")
    page.keyboard.press("Control+Enter")
    expect(writer.card("at last")).to_be_visible()
    expect(_edit(writer)).to_have_value("First version, at last")


def test_nobody_else_gets_a_draft(meet: Meet) -> None:
    writer, other = meet("writer", jumps_at=ANYWHERE), meet("other")
    page = writer.page
    wait_for_scripts(page)
    write_for_few(page)
    mine = page.context.cookies()
    page.context.clear_cookies()
    other.logs_in_to(page.context)
    page.goto("/")
    wait_for_scripts(page)
    expect_nothing(page)
    page.context.add_cookies([{**it} for it in mine])  # type: ignore[typeddict-item]  # as they were given
    page.goto("/")
    expect_for_few(page)
    page.get_by_label("Your account").locator("visible=true").click()
    page.get_by_role("button", name="Log out").locator("visible=true").click()
    expect(page.get_by_role("link", name="Log in").first).to_be_visible()
    assert page.evaluate("localStorage.length") == 0


def test_two_tabs_share_a_draft_and_post_it_once(meet: Meet) -> None:
    writer = meet("writer", jumps_at=ANYWHERE)
    page = writer.page
    other = page.context.new_page()
    other.goto("/")
    wait_for_scripts(page)
    write_for_few(page)
    other.locator("main form.composer textarea").focus()
    expect_for_few(other)
    other.keyboard.press("End")
    other.keyboard.type(" two")
    expect(page.locator("main form.composer textarea")).to_have_value("Between us two")
    page.locator("main form.composer .button-main").click()
    expect(writer.card("Secrets").first).to_be_visible()
    expect_nothing(page)
    expect_nothing(other)


@on_each_screen
def test_a_post_from_the_profile_is_there_once_and_the_box_is_empty(
    meet: Meet, screen: Screen
) -> None:
    writer = meet("writer", **screen)
    page = writer.page
    page.goto(f"/@{writer.name}/")
    wait_for_scripts(page)
    box = page.locator("main form.composer textarea")
    box.click()
    page.keyboard.type("Only once")
    page.locator("main form.composer .button-main").dblclick()
    expect(writer.card("Only once")).to_have_count(1)
    expect(box).to_have_value("")
    page.reload()
    wait_for_scripts(page)
    expect(writer.card("Only once")).to_have_count(1)
    expect(box).to_have_value("")


@on_each_screen
def test_a_first_post_is_not_offered_again(meet: Meet, screen: Screen) -> None:
    writer = meet("writer", **screen)
    page = writer.page
    page.goto(FIRST_POST)
    wait_for_scripts(page)
    page.locator("main form.composer textarea").click()
    page.keyboard.type("Hello, everybody")
    page.locator("main form.composer .button-main").click()
    writer.sees("Home")
    expect(writer.card("Hello, everybody")).to_have_count(1)
    page.goto(FIRST_POST)
    wait_for_scripts(page)
    page.locator("main form.composer textarea").focus()
    expect_nothing(page)
    page.go_back()
    writer.sees("Home")
    expect(page.locator("main form.composer textarea")).to_have_value("")


@on_each_screen
def test_a_double_click_and_the_stream_show_a_post_once(meet: Meet, screen: Screen) -> None:
    writer = meet("writer", **screen)
    writer.watches_home()
    page = writer.page
    page.locator("main form.composer textarea").click()
    page.keyboard.type("Twice is too often")
    with page.expect_response("**/statuses/"):
        page.locator("main form.composer .button-main").dblclick()
    expect(writer.card("Twice is too often")).to_have_count(1)
    expect(page.locator(".new-posts a")).to_have_count(0)
    page.locator("main form.composer textarea").click()
    page.keyboard.type("And once more")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    expect(writer.card("And once more")).to_have_count(1)
    page.reload()
    expect(writer.card("Twice is too often")).to_have_count(1)
    expect(writer.card("And once more")).to_have_count(1)


def test_what_is_too_long_is_said_once_and_not_sent(meet: Meet) -> None:
    writer = meet("writer", jumps_at=ANYWHERE)
    page = writer.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.locator("main form.composer textarea").fill("x" * 514)
    expect(page.get_by_text(re.compile("too long"))).to_have_count(2)  # seen, and announced
    expect(page.locator(".too-long")).to_have_text("14 characters too long")
    button = page.get_by_role("button", name="Post", exact=True)
    expect(button).to_be_disabled()
    page.keyboard.press("Control+Enter")
    button.dispatch_event("click")
    expect(page.locator(".too-long")).to_have_count(1)
    page.locator("main form.composer textarea").fill("x" * 500)
    expect(page.locator(".too-long")).to_have_count(0)
    expect(button).to_be_enabled()
    assert "POST" not in sent


def test_a_name_counts_families_as_the_server_does(meet: Meet) -> None:
    """Seven code points each, eleven code units: seven of them fit."""
    writer = meet("writer")
    page = writer.page
    page.goto("/settings/profile/")
    wait_for_scripts(page)
    name = page.get_by_label("Display name")
    name.fill("👨‍👩‍👧‍👦" * 8)
    expect(page.locator(".too-long")).to_have_text("6 characters too long")
    name.press("Backspace")
    name.fill("👨‍👩‍👧‍👦" * 7)
    expect(page.locator(".too-long")).to_have_count(0)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your profile is saved.")).to_be_visible()
    expect(name).to_have_value("👨‍👩‍👧‍👦" * 7)


def test_the_language_of_the_last_post_is_suggested(meet: Meet) -> None:
    writer = meet("writer")
    page = writer.page
    box = page.locator("main form.composer textarea")
    box.click()
    page.locator("main form.composer").get_by_label(LANGUAGE).select_option("日本語")
    card = writer.posts("こんにちは")
    expect(card.locator("[lang=ja]")).to_be_visible()
    for place in ("/", f"/@{writer.name}/"):
        page.goto(place)
        expect(page.locator("main form.composer").get_by_label(LANGUAGE)).to_have_value("ja")


def test_escape_keeps_a_list_closed_that_has_not_come_yet(meet: Meet) -> None:
    writer = meet("writer")
    page = writer.page
    wait_for_scripts(page)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Post").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Post")).to_be_visible()
    page.keyboard.type("Hello @wri")
    expect(dialog.locator(".completion > li").first).to_be_visible()
    page.keyboard.press("Escape")
    with page.expect_response("**/complete/*"):
        page.keyboard.type("t")
        with page.expect_request("**/complete/*"):
            pass
        page.keyboard.press("Escape")
    page.keyboard.type("!")
    expect(dialog.locator(".completion > li")).to_have_count(0)
    expect(dialog.locator("textarea")).to_have_value("Hello @writ!")
