"""A search that is kept open, and searches that the box remembers."""

from playwright.sync_api import expect

from tests.interface.people import Meet
from tests.interface.test_completing import SEARCH
from tests.interface.test_writing import wait_for_scripts


def test_a_saved_search_shows_new_posts_while_it_is_open(meet: Meet) -> None:
    writer, reader = meet("writer"), meet("reader")
    page, word = reader.page, f"frost{writer.name[-6:]}"
    page.goto(f"/search/?q={word}+-snow")
    page.get_by_role("button", name="Save this search").click()
    with page.expect_response("**/streaming/search?q=*"):
        page.get_by_role("main").get_by_role("link", name="Saved").click()
        page.get_by_role("link", name=f"{word} -snow", exact=True).click()
    expect(page.get_by_text("Nothing found")).to_be_visible()
    writer.has_posted(f"{word} and snow", f"First {word} #winter")
    page.get_by_role("link", name="Show 1 new post").click()
    expect(reader.card(word)).to_have_count(1)
    expect(reader.card(word).locator("mark")).to_have_text(word)
    expect(page.get_by_text("Nothing found")).to_be_hidden()
    reader.sees("Search")


def test_an_empty_box_offers_what_was_searched(meet: Meet) -> None:
    reader = meet("reader")
    page = reader.page
    page.goto("/search/?q=milk+-tea")
    page.get_by_role("button", name="Save this search").click()
    page.goto("/search/")
    wait_for_scripts(page)
    page.locator(SEARCH).first.click()
    expect(page.get_by_role("option").first).to_contain_text("milk -tea")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=milk*")
