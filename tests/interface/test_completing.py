"""Names that are completed while somebody types: at once those one knows, and in the search box."""

from playwright.sync_api import Page, Request, expect

from tests.interface.people import Meet
from tests.interface.test_writing import wait_for_scripts

SEARCH = ".search [type=search]"
ANSWERS = "**/complete/?q=*"


def type_into(page: Page, box: str, text: str) -> None:
    wait_for_scripts(page)
    page.locator(box).first.click()
    page.keyboard.press("End")
    page.keyboard.type(text)


def test_people_one_follows_are_offered_before_the_server_answers(meet: Meet) -> None:
    friend, writer = meet("friend"), meet("writer")
    writer.has_followed(friend)
    page = writer.page
    asked: list[str] = []

    def count(request: Request) -> None:
        asked.append(request.url)

    page.on("request", count)
    page.route(ANSWERS, lambda _route: None)
    page.goto("/")
    for _ in range(2):
        type_into(page, "main form.composer textarea", f"Hello @{friend.name[:5].upper()}")
        expect(page.locator(".completion > li")).to_contain_text(f"@{friend.name}")
        page.keyboard.press("Enter")
        box = page.locator("main form.composer textarea")
        expect(box).to_have_value(f"Hello @{friend.name} ")
        box.fill("")
        page.goto("/notifications/")
        page.goto("/")
    assert len([it for it in asked if "/contacts/" in it]) == 1


def test_whom_one_does_not_follow_any_more_is_not_kept(meet: Meet) -> None:
    friend, writer = meet("friend"), meet("writer")
    writer.has_followed(friend)
    page = writer.page
    page.goto("/")
    with page.expect_response("**/complete/contacts/"):
        type_into(page, "main form.composer textarea", f"@{friend.name[:4]}")
    page.locator("main form.composer textarea").fill("")
    page.goto(f"/@{friend.name}/")
    wait_for_scripts(page)
    assert page.evaluate("'contacts' in sessionStorage")
    page.get_by_role("button", name="Following").first.click()
    page.wait_for_function("!('contacts' in sessionStorage)")


def test_the_search_box_offers_people_and_enter_searches(meet: Meet) -> None:
    friend, reader = meet("friend"), meet("reader")
    page = reader.page
    page.goto("/search/")
    type_into(page, SEARCH, friend.name)
    expect(page.locator(".completion > li").first).to_contain_text(f"@{friend.name}")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(SEARCH).first).to_have_value(f"@{friend.name} ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=*")
    type_into(page, SEARCH, " and more")
    page.keyboard.press("Enter")
    page.wait_for_url("**more*")
