"""Times in the reader's zone, which a script writes over those of the server."""

from typing import Any

import pytest

from tests.interface.community import Community, busiest_status
from tests.windows import Windows

WIDTHS = (320, 360, 390, 430, 1280)
ZONES = ("Asia/Kathmandu", "America/Los_Angeles")


@pytest.fixture(scope="module")
def address(windows: Windows, community: Community) -> str:
    with windows.opened(community.guest) as page:
        page.goto("/explore/")
        return busiest_status(page)


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "zh-CN"])
def test_a_time_takes_the_same_room_before_and_after(
    windows: Windows, address: str, locale: str
) -> None:
    """Else what is below it would jump."""
    plain = heights(windows, address, java_script_enabled=False, locale=locale)
    for zone in ZONES:
        assert heights(windows, address, timezone_id=zone, locale=locale) == plain


def heights(windows: Windows, address: str, **options: Any) -> dict[int, float]:
    """Of the line with the time, by the width of the screen."""
    found = {}
    with windows.opened(**options) as page:
        page.goto(address, wait_until="load")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            box = page.locator(".status-meta").bounding_box()
            assert box is not None
            found[width] = box["height"]
    return found
