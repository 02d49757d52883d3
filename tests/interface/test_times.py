"""Times in the reader's zone, which a script writes over those of the server."""

import pytest
from playwright.sync_api import Browser

from tests.interface.community import Community, busiest_status

WIDTHS = (320, 360, 390, 430, 1280)
ZONES = ("Asia/Kathmandu", "America/Los_Angeles")


@pytest.fixture(scope="module")
def address(browser: Browser, community: Community) -> str:
    with community.guest(browser) as context:
        page = context.new_page()
        page.goto("/explore/")
        return busiest_status(page)


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "zh-CN"])
def test_a_time_takes_the_same_room_before_and_after(
    browser: Browser, community: Community, address: str, locale: str
) -> None:
    """Else what is below it would jump."""
    plain = heights(browser, community, address, java_script_enabled=False, locale=locale)
    for zone in ZONES:
        assert heights(browser, community, address, timezone_id=zone, locale=locale) == plain


def heights(
    browser: Browser, community: Community, address: str, **options: object
) -> dict[int, float]:
    """Of the line with the time, by the width of the screen."""
    context = community.visitor(browser, **options)
    page = context.new_page()
    page.goto(address, wait_until="load")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        box = page.locator(".status-meta").bounding_box()
        assert box is not None
        found[width] = box["height"]
    context.close()
    return found
