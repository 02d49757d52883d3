"""Every page, for members and visitors: whole, still, within the screen, and open to everybody."""

from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.interface.addresses import pages
from tests.interface.community import DESKTOP, PHONE, Community, busiest_status
from tests.interface.watching import MOST_SHIFT, Watched, barriers, watched

pytestmark = pytest.mark.timeout(600)

NARROW = {"width": 320, "height": 640}
WHO = ("member", "visitor")
LOOKS = [
    pytest.param(DESKTOP, "light", id="desktop-light"),
    pytest.param(PHONE, "dark", id="phone-dark"),
    pytest.param(DESKTOP, "dark", id="desktop-dark"),
    pytest.param(PHONE, "light", id="phone-light"),
]
each_look = pytest.mark.parametrize(("viewport", "theme"), LOOKS)
for_everybody = pytest.mark.parametrize("who", WHO)


def context_of(community: Community, browser: Browser, who: str, **options: Any) -> BrowserContext:
    return (community.guest if who == "member" else community.visitor)(browser, **options)


@pytest.fixture(scope="module")
def addresses(browser: Browser, community: Community) -> dict[str, list[str]]:
    """Of members and visitors: all that there are, of one status and one account."""
    context = community.guest(browser)
    page = context.new_page()
    page.goto("/")
    _, name, status_id, _ = busiest_status(page).split("/")
    page.goto("/lists/")
    a_list = page.locator("main a[href^='/lists/']").first.get_attribute("href") or ""
    cookies = {it["name"]: it["value"] for it in context.cookies()}
    context.close()
    values = {
        "username": name[1:],
        "status_id": status_id,
        "list_id": a_list.split("/")[2],
        "name": "birding",
    }
    found = {}
    for who, sent in (("member", cookies), ("visitor", {})):
        with httpx.Client(base_url=community.site.url, cookies=sent, timeout=120) as client:
            found[who] = pages(client, values)
    assert len(found["member"]) > 40
    assert len(found["visitor"]) > 12
    return found


@pytest.mark.long
@each_look
@for_everybody
def test_nothing_stands_in_anybodys_way(
    browser: Browser,
    community: Community,
    addresses: dict[str, list[str]],
    who: str,
    viewport: dict[str, int],
    theme: str,
) -> None:
    """No barrier that axe knows, no complaint of the browser, and nothing jumps."""
    context = context_of(community, browser, who, viewport=viewport, color_scheme=theme)
    wrong: dict[str, list[str]] = {}
    with watched(context, community.site) as watch:
        for address in addresses[who]:
            watch.page.goto(address)
            found = [*barriers(watch.page), *_jumps(watch)]
            if found:
                wrong[address] = found
    context.close()
    assert wrong == {}


def _jumps(watch: Watched) -> list[str]:
    shift = watch.shift()
    return [f"layout shift {shift:.3f}"] if shift >= MOST_SHIFT else []


@pytest.mark.long
@for_everybody
def test_everything_fits_on_a_small_screen(
    browser: Browser, community: Community, addresses: dict[str, list[str]], who: str
) -> None:
    context = context_of(community, browser, who, viewport=NARROW)
    wrong: dict[str, list[str]] = {}
    with watched(context, community.site) as watch:
        for address in addresses[who]:
            watch.page.goto(address)
            if found := watch.overflow():
                wrong[address] = found[:5]
    context.close()
    assert wrong == {}
