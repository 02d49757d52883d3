"""A post is deleted, and can be had back for a moment."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.interface.community import DESKTOP, PHONE
from tests.interface.people import Meet, Person
from tests.running_site import wait_for

UNDO = "Undo"
SCRIPT = {"HX-Request": "true"}
# What `static/js/deleting.js` keeps until a deletion is answered.
LEFT_BEHIND = """(card) => {
  const id = card.slice(7);
  const body = `${new URLSearchParams(new FormData(document.querySelector("#act")))}`;
  const address = `/statuses/${id}/delete/`;
  localStorage.deleting = JSON.stringify({ id, body, address, until: 0 });
}"""


def _delete(person: Person, text: str) -> None:
    person.opens_menu_of(person.card(text))
    person.page.get_by_role("link", name="Delete").click()


def _is_gone(person: Person, address: str) -> bool:
    return person.page.request.get(address, headers=SCRIPT).status == 404


def _address(person: Person, text: str) -> str:
    address = person.card(text).locator(".status-time").get_attribute("href")
    assert address
    return address


def _toast(page: Page) -> None:
    expect(page.locator(".toast")).to_have_text(re.compile("Deleting the post"))


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_a_deletion_is_undone(meet: Meet, viewport: ViewportSize) -> None:
    """On a phone, nothing lies over the button."""
    author = meet("author", viewport=viewport)
    author.has_posted("Too early?")
    address = _address(author, "Too early?")
    _delete(author, "Too early?")
    _toast(author.page)
    expect(author.card("Too early?")).to_be_hidden()
    author.page.get_by_role("button", name=UNDO).click()
    expect(author.card("Too early?")).to_be_visible()
    author.page.reload()
    expect(author.card("Too early?")).to_be_visible()
    assert not _is_gone(author, address)


def test_a_deletion_happens_when_the_toast_ends(meet: Meet) -> None:
    author, reader = meet("author"), meet("reader")
    author.has_posted("Nobody saw this")
    reader.has_followed(author)
    reader.watches_home()
    address = _address(author, "Nobody saw this")
    _delete(author, "Nobody saw this")
    wait_for(lambda: _is_gone(author, address))
    expect(reader.card("Nobody saw this")).to_be_hidden()
    author.page.reload()
    expect(author.card("Nobody saw this")).to_have_count(0)


def test_a_deletion_leaves_with_the_page(meet: Meet) -> None:
    """Whether one goes on, or closes the tab."""
    # The next page can't know that it arrived, sends it again, and hears that the post is gone.
    author = meet("author", expected="404 (Not Found)")
    page, requests = author.page, author.page.context.request

    def is_gone(address: str) -> bool:
        return requests.get(address, headers=SCRIPT).status == 404

    for text in ("going on", "closing"):
        author.has_posted(text)
        page.goto("/")
        address = _address(author, text)
        _delete(author, text)
        _toast(page)
        if text == "closing":
            page.close()
        else:
            page.goto("/explore/")
        wait_for(partial(is_gone, address), what=text)


def test_what_a_dying_browser_could_not_send_is_sent_by_the_next_page(meet: Meet) -> None:
    author = meet("author")
    author.has_posted("The browser died")
    address = _address(author, "The browser died")
    author.page.evaluate(LEFT_BEHIND, author.card("The browser died").get_attribute("id"))
    author.page.goto("/notifications/")
    wait_for(lambda: _is_gone(author, address))
    wait_for(lambda: author.page.evaluate("localStorage.deleting === undefined"))


def test_from_its_own_page_one_comes_back_to_where_one_was(meet: Meet) -> None:
    author = meet("author")
    author.has_posted("On its own page")
    page = author.page
    address = _address(author, "On its own page")
    author.card("On its own page").locator(".status-time").click()
    author.sees(re.compile("^Post"))
    own = page.url
    _delete(author, "On its own page")
    author.sees("Home")
    _toast(page)
    expect(author.card("On its own page")).to_be_hidden()
    page.mouse.move(0, 0)
    wait_for(lambda: _is_gone(author, address))
    page.goto(own)
    author.sees("Home")
    page.go_back()
    expect(page.locator(".error-code")).to_have_count(0)


def test_back_after_deleting_without_scripts_is_no_404(meet: Meet) -> None:
    author = meet("author", java_script_enabled=False)
    page = author.page
    page.get_by_label("What's happening?").fill("Away with it")
    page.get_by_role("button", name="Post", exact=True).click()
    author.card("Away with it").locator(".status-time").click()
    author.page.locator("[data-action=more]").click()
    page.get_by_role("link", name="Delete").click()
    author.sees("Delete this post?")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("The post is deleted.")).to_be_visible()
    for _ in range(3):
        page.go_back()
        expect(page.locator(".error-code")).to_have_count(0)
