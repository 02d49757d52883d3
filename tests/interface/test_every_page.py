"""Every page, for members and visitors: whole, still, within the screen, and open to everybody."""

import re
from itertools import product

import httpx
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, ViewportSize

from demo.people import GUEST
from tests.interface.addresses import pages
from tests.interface.community import Community, busiest_status, client_of, token_on
from tests.interface.people import NARROW
from tests.interface.watching import MEASURE_SHIFTS, MOST_SHIFT, Watched, barriers, watched
from tests.windows import Windows

pytestmark = pytest.mark.timeout(600)

WIDE: ViewportSize = {"width": 1280, "height": 900}
WHO = ("member", "visitor")
# All cards of a list are made by one template: these fill the screen.
SOME_CARDS, ALL_CARDS = 12, 1000
KEEP_CARDS = (
    "(most) => [...document.querySelectorAll('article')].slice(most).map((it) => it.remove())"
)
# Pages that say something else if they are asked for something.
RESULTS = ("/search/?q=tea+-market", "/search/?q=ma&tab=people")
USUAL = [("member", NARROW, "dark"), ("visitor", WIDE, "light")]
LOOKS = [
    *((*look, SOME_CARDS) for look in USUAL),
    *(
        pytest.param(*look, ALL_CARDS, marks=pytest.mark.long)
        for look in product(WHO, (NARROW, WIDE), ("light", "dark"))
        if look not in USUAL
    ),
]


@pytest.fixture(scope="module")
def windows(browser: Browser, community: Community) -> Windows:
    """With axe on every page."""
    return Windows(browser, community.url, f"{MEASURE_SHIFTS}\n{AXE_SCRIPT}")


def _cookies(community: Community, who: str) -> httpx.Cookies:
    return community.guest if who == "member" else httpx.Cookies()


@pytest.fixture(scope="module")
def addresses(windows: Windows, community: Community) -> dict[str, list[str]]:
    """Of members and visitors: all that there are, of one status and one account."""
    with windows.opened(community.guest) as page:
        page.goto("/")
        _, name, status_id, _ = busiest_status(page).split("/")
        page.goto("/lists/")
        a_list = page.locator("main a[href^='/lists/']").first.get_attribute("href") or ""
    values = {
        "username": name[1:],
        "status_id": status_id,
        "list_id": a_list.split("/")[2],
        "name": "birding",
        "search_id": _saved_search(community),
        **_chat(community),
    }
    found = {}
    for who in WHO:
        with client_of(community.url, _cookies(community, who)) as client:
            found[who] = [*pages(client, values), *RESULTS]
    assert len(found["member"]) > 40
    assert len(found["visitor"]) > 12
    return found


def _saved_search(community: Community) -> str:
    with client_of(community.url, community.guest) as client:
        client.post("/search/save/", data={"q": "tea OR 咖啡", **token_on(client, "/search/")})
        found = re.search(r"/search/saved/(\d+)/", client.get("/search/saved/").text)
        assert found is not None
        return found[1]


def _chat(community: Community) -> dict[str, str]:
    """A group of one, who has said something."""
    with client_of(community.url, community.guest) as client:
        fields = {"people": GUEST, "title": "Tea 🫖", **token_on(client, "/messages/new/")}
        address = client.post("/messages/new/", data=fields).headers["Location"]
        client.post(address, data={"text": "你好 https://example.com", **token_on(client, address)})
        found = re.search(r'id="message-(\d+)"', client.get(address).text)
        assert found is not None
        return {"chat_id": address.split("/")[2], "message_id": found[1]}


@pytest.mark.parametrize(("who", "viewport", "theme", "most_cards"), LOOKS)
def test_nothing_stands_in_anybodys_way(
    windows: Windows,
    community: Community,
    addresses: dict[str, list[str]],
    who: str,
    viewport: ViewportSize,
    theme: str,
    most_cards: int,
) -> None:
    """No barrier that axe knows, no complaint of the browser, nothing jumps, and nothing reaches
    beyond the edge of the screen.
    """
    wrong: dict[str, list[str]] = {}
    opened = windows.opened(_cookies(community, who), viewport=viewport, color_scheme=theme)
    with opened as page, watched(page, community.site) as watch:
        for address in addresses[who]:
            page.goto(address)
            beyond = watch.overflow()[:5]
            page.evaluate(KEEP_CARDS, most_cards)
            if found := [*beyond, *barriers(page), *_jumps(watch)]:
                wrong[address] = found
    assert wrong == {}


def _jumps(watch: Watched) -> list[str]:
    shift = watch.shift()
    return [f"layout shift {shift:.3f}"] if shift >= MOST_SHIFT else []
