"""The dashboard in a browser: live, still, for everybody to read, and without scripts."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.interface.community import Community
from tests.interface.people import NARROW, Meet, Person
from tests.interface.watching import MEASURE_SHIFTS, MOST_SHIFT, barriers
from tests.windows import Windows

ADDRESS = "/admin/insight/?range=5min"
WIDE: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def windows(browser: Browser, community: Community) -> Windows:
    """With axe on every page."""
    return Windows(browser, community.url, f"{MEASURE_SHIFTS}\n{AXE_SCRIPT}")


@pytest.fixture
def helper(meet: Meet, community: Community) -> Iterator[Person]:
    person = meet("helper")
    made = community.site.manage("role", person.name, "support")
    assert made.returncode == 0, made.stderr
    yield person
    assert community.site.manage("role", person.name, "support", "--remove").returncode == 0


def posts_on(page: Page) -> int:
    tile = page.locator(".tile", has=page.get_by_role("heading", name="Posts"))
    return int(tile.locator(".value").inner_text().replace(",", ""))


def expect_posts(page: Page, count: int) -> None:
    tile = page.locator(".tile", has=page.get_by_role("heading", name="Posts"))
    expect(tile.locator(".value")).to_have_text(str(count), timeout=20_000)


def test_it_goes_on_while_it_is_open_and_stops_for_a_while(helper: Person, meet: Meet) -> None:
    author, page = meet("author"), helper.page
    page.goto(ADDRESS)
    live = page.locator("#live")
    expect(live).to_have_class(re.compile("is-live"))
    before = posts_on(page)
    author.has_posted("one", "two")
    expect_posts(page, before + 2)
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    expect(live.get_by_text("Paused")).to_be_visible()
    author.has_posted("three")
    page.locator("#posts summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#table-posts")).to_be_visible()
    page.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Enter")
    expect_posts(page, before + 3)
    rows = page.locator("#table-posts tbody td:nth-child(2)")
    expect(rows.filter(has_text=re.compile("[1-9]")).first).to_be_visible()
    assert float(page.evaluate("window.shifts")) < MOST_SHIFT


@pytest.mark.parametrize(("viewport", "theme"), [(NARROW, "dark"), (WIDE, "light")])
def test_nothing_stands_in_anybodys_way(helper: Person, viewport: ViewportSize, theme: str) -> None:
    page = helper.page
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto(ADDRESS)
    for table in page.locator("details.plot-table").all():
        table.locator("summary").click()
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def test_without_scripts_it_is_a_page_with_a_link(
    helper: Person, windows: Windows, community: Community
) -> None:
    with windows.opened(java_script_enabled=False) as page:
        helper.logs_in_to(page.context)
        page.goto(ADDRESS)
        expect(page.get_by_role("link", name="Refresh")).to_be_visible()
        expect(page.get_by_role("button", name="Pause")).to_be_hidden()
        expect(page.get_by_text("Times are UTC.")).to_be_visible()
        page.locator("#requests summary").click()
        expect(page.locator("#table-requests tbody tr")).to_have_count(60)
