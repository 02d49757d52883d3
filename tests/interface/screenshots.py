"""`make screenshots`: pictures of the site for the README, from the community of `make demo`."""

from itertools import product

from django.conf import settings
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.interface.community import DESKTOP, PHONE, Community, busiest_status, community_site

FOLDER = settings.BASE_DIR / "docs/screenshots"
SCREENS = {"desktop": DESKTOP, "phone": PHONE}
THEMES = ("light", "dark")


def take_all() -> None:
    FOLDER.mkdir(exist_ok=True)
    with community_site() as community, chromium() as browser:
        addresses = _addresses(community, browser)
        for screen, theme in product(SCREENS, THEMES):
            _take(community, browser, addresses, screen, theme)


def _addresses(community: Community, browser: Browser) -> dict[str, str]:
    context = community.guest(browser)
    page = context.new_page()
    page.goto("/explore/")
    status = busiest_status(page)
    context.close()
    return {
        "home": "/",
        "thread": status,
        "profile": f"/{status.split('/')[1]}/",
        "notifications": "/notifications/",
        "explore": "/explore/",
    }


def _take(
    community: Community, browser: Browser, addresses: dict[str, str], screen: str, theme: str
) -> None:
    context = community.guest(browser, viewport=SCREENS[screen], color_scheme=theme)
    page = context.new_page()
    for name, address in addresses.items():
        page.goto(address, wait_until="networkidle" if name != "home" else "load")
        page.wait_for_timeout(500)
        page.screenshot(path=FOLDER / f"{name}-{screen}-{theme}.png")
    context.close()


if __name__ == "__main__":
    take_all()
