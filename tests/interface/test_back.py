"""What one did is what one sees, also after "back", on a phone and beside a keyboard."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import remembering
from tests.interface.community import PHONE, Community
from tests.interface.people import FOLLOWED, Person, meeting
from tests.interface.watching import MEASURE_SHIFTS
from tests.running_site import wait_for
from tests.windows import Windows

TOUCH: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
# The screen, and where a browser takes a page from after "back": its cache, or whole out of memory.
WAYS = [
    ("phone", "cache"),
    ("desktop", "memory"),
    pytest.param(("phone", "memory"), marks=pytest.mark.long),
    pytest.param(("desktop", "cache"), marks=pytest.mark.long),
]


@pytest.fixture(scope="module")
def remembering_windows(browser: Browser, community: Community) -> Iterator[Windows]:
    with remembering(browser) as other:
        yield Windows(other, community.url, MEASURE_SHIFTS)


@pytest.fixture(params=WAYS, ids=" ".join)
def cast(
    request: pytest.FixtureRequest, windows: Windows, community: Community
) -> Iterator[tuple[Person, Person]]:
    """Somebody who writes, and somebody who reads and goes back."""
    screen, source = request.param
    if source == "memory":
        windows = request.getfixturevalue("remembering_windows")
    with meeting(windows, community) as meet:
        yield meet("author"), meet("reader", **(TOUCH if screen == "phone" else {}))


def _leave(page: Page, *, steps: int = 1) -> None:
    """A moment later: the page that answers us must still be there when it does."""
    page.evaluate("(steps) => void setTimeout(() => history.go(-steps))", steps)


def _go_back(page: Page, *, heading: str = "Home") -> None:
    _leave(page)
    expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()


def test_a_like_on_the_page_of_a_post_shows_at_home(cast: tuple[Person, Person]) -> None:
    author, reader = cast
    author.has_posted("The kettle is on")
    reader.has_followed(author)
    reader.goes_to("Home")
    card = reader.card("The kettle is on")
    card.locator(".status-time").click()
    reader.sees("Post by")
    for action in ("Like", "Boost", "Bookmark"):
        button = reader.page.locator(".focus").get_by_role("button", name=action)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
    _go_back(reader.page)
    for action in ("Like 1", "Boost 1", "Bookmark"):
        button = card.get_by_role("button", name=action, exact=True)
        expect(button).to_have_attribute("aria-pressed", "true")
    card.get_by_role("button", name="Like 1").click()
    expect(card.get_by_role("button", name="Like", exact=True)).to_be_visible()


def test_ones_own_post_is_there_after_a_look_elsewhere(cast: tuple[Person, Person]) -> None:
    author, reader = cast
    author.has_posted("Others were here first")
    reader.has_followed(author)
    reader.goes_to("Home")
    reader.posts("Off to explore")
    reader.goes_to("Explore")
    reader.sees("Explore")
    _go_back(reader.page)
    expect(reader.card("Off to explore")).to_have_count(1)


def test_what_was_deleted_is_gone_and_what_was_edited_says_so(cast: tuple[Person, Person]) -> None:
    author, reader = cast
    author.has_posted("Forget this", "The train leaves at noon")
    doomed, flawed = author.card("Forget this"), author.card("The train leaves at noon")
    reader.has_followed(author)
    reader.goes_to("Home")
    expect(reader.card("Forget this")).to_be_visible()
    reader.goes_to("Explore")
    reader.sees("Explore")

    author.opens_menu_of(flawed)
    author.page.get_by_role("link", name="Edit").click()
    author.page.get_by_label("Your post").fill("The train leaves at one")
    author.page.get_by_role("button", name="Save").click()
    author.sees("Home")
    author.opens_menu_of(doomed)
    with author.page.expect_response(re.compile("/delete/$")):  # once nobody can undo it
        author.page.get_by_role("link", name="Delete").click()
    _go_back(reader.page)
    expect(reader.card("The train leaves at one")).to_be_visible()
    expect(reader.card("Forget this")).to_be_hidden()


def test_whom_one_follows_and_what_one_has_read_is_known_after_back(
    cast: tuple[Person, Person],
) -> None:
    star, fan = cast
    star.has_posted(f"Hello @{fan.name}")
    bell = fan.page.locator(".places .unread-count")

    def knows() -> int:
        fan.page.goto(f"/search/?q={star.name}")
        return bell.count()

    wait_for(knows, what="a notification")
    fan.page.get_by_role("main").get_by_role("link", name=star.name).last.click()
    fan.sees(re.compile("post"))
    fan.page.get_by_role("button", name=f"Follow @{star.name}", exact=True).click()
    followed = fan.page.get_by_role("main").get_by_role("button", name=re.compile(FOLLOWED))
    expect(followed).to_be_visible()
    fan.goes_to("Notifications")
    fan.sees("Notifications")
    _leave(fan.page, steps=2)
    expect(fan.page).to_have_url(re.compile("/search/"))
    expect(followed).to_be_visible()
    expect(bell).to_have_count(0)


def test_the_place_is_kept_and_nothing_jumps(cast: tuple[Person, Person]) -> None:
    author, reader = cast
    author.has_posted(*(f"Number {number}." for number in range(20)))
    reader.has_followed(author)
    reader.goes_to("Home")
    card = reader.card("Number 5.")
    card.scroll_into_view_if_needed()
    place = reader.page.evaluate("scrollY")
    card.locator(".status-time").click()
    reader.sees("Post by")
    author.has_posted("Number 20.")
    _go_back(reader.page)
    expect(reader.page.get_by_role("link", name="Show 1 new post")).to_be_attached()
    wait_for(lambda: abs(reader.page.evaluate("scrollY") - place) < 5, what="the same place")
