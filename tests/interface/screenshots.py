"""`make screenshots`: pictures of the site for the README, from the community of `make demo`."""

import re
from contextlib import ExitStack
from itertools import product
from typing import Any

from django.conf import settings
from playwright.sync_api import Page, expect

from demo.people import GUEST
from tests.browser import chromium, missing_fonts
from tests.interface.community import DESKTOP, PHONE, Community, community_site, seed
from tests.running_site import temporary_folder
from tests.windows import Windows

FOLDER = settings.BASE_DIR / "docs/screenshots"
SCREENS = {"desktop": DESKTOP, "phone": PHONE}
THEMES = ("light", "dark")
QUEUE = (("desktop", "light"), ("phone", "dark"))
DASHBOARDS = (*QUEUE, ("desktop", "dark"))
# Pages whose pictures are taken in Chinese too.
IN_CHINESE = ("home", "thread")
# Pictures further down are loaded when somebody scrolls there, and panels after the page.
IS_WHOLE = """() => [...document.images].every(
  (it) => it.complete || it.getBoundingClientRect().top > innerHeight || !it.offsetParent)
  && !document.querySelector(".aside-panels:empty")?.checkVisibility()"""
LONGEST_THREAD = """(links) => {
  const answers = (it) => parseInt(it.querySelector(".count")?.textContent) || 0;
  const longest = links.reduce((one, other) => (answers(other) > answers(one) ? other : one));
  return longest.getAttribute("href");
}"""
REPORTED = "The same text under every post of mine, with a link to a shop."


def take_all() -> None:
    if missing := missing_fonts():
        raise SystemExit(
            f"No font has {', '.join(missing)}, and pictures would show boxes: "
            "run deploy/install-chromium.sh as root"
        )
    FOLDER.mkdir(exist_ok=True)
    with ExitStack() as stack:
        seeded = stack.enter_context(temporary_folder())
        seed(seeded)
        community = stack.enter_context(community_site(seeded))
        windows = Windows(stack.enter_context(chromium()), community.url)
        addresses = _addresses(community, windows)
        for screen, theme in product(SCREENS, THEMES):
            look: dict[str, Any] = {"viewport": SCREENS[screen], "color_scheme": theme}
            with windows.opened(community.guest, **look) as page:
                _take(page, {f"{name}-{screen}-{theme}": it for name, it in addresses.items()})
        for screen in SCREENS:
            look = {"viewport": SCREENS[screen], "locale": "zh-CN"}
            with windows.opened(community.guest, **look) as page:
                _take(page, {f"{name}-{screen}-chinese": addresses[name] for name in IN_CHINESE})
        _take_moderation(community, windows, addresses["thread"])
        _take_dashboard(community, windows)


def _addresses(community: Community, windows: Windows) -> dict[str, str]:
    with windows.opened(community.guest) as page:
        page.goto("/explore/")
        longest = page.locator("a[data-action=reply]").evaluate_all(LONGEST_THREAD)
    status = re.sub("#.*", "", longest)
    return {
        "home": "/",
        "thread": status,
        "profile": f"/{status.split('/')[1]}/",
        "notifications": "/notifications/",
        "explore": "/explore/",
    }


def _take(page: Page, pictures: dict[str, str]) -> None:
    """Of the addresses, by the names of the files."""
    for name, address in pictures.items():
        page.goto(address)
        page.wait_for_function(IS_WHOLE)
        page.screenshot(path=FOLDER / f"{name}.png")


def _take_moderation(community: Community, windows: Windows, reported: str) -> None:
    """The guest reports a post, and somebody else moderates."""
    _, name, status_id, _ = reported.split("/")
    with windows.opened(community.guest) as page:
        _report(page, status_id)
        moderator = _somebody_else(page, name)
    made = community.site.manage("role", moderator, "moderator")
    assert made.returncode == 0, made.stderr
    session = community.log_in(moderator)
    look: dict[str, Any]
    for theme in THEMES:
        with windows.opened(session, color_scheme=theme) as page:
            page.goto("/admin/moderation/report/")
            report = page.locator("#result_list tbody th a").first.get_attribute("href") or ""
            pictures = {f"moderation-desktop-{theme}": report}
            _take(page, pictures | {f"admin-desktop-{theme}": "/admin/"})
    for screen, theme in QUEUE:
        look = {"viewport": SCREENS[screen], "color_scheme": theme}
        with windows.opened(session, **look) as page:
            page.goto("/moderation/")
            case = page.locator(".queue a").first.get_attribute("href") or ""
            _take(page, {f"moderation-queue-{screen}-{theme}": case})


def _take_dashboard(community: Community, windows: Windows) -> None:
    """After two hours that were as lively as `tests/insight/history.py` says."""
    made = community.site.manage("role", GUEST, "support")
    assert made.returncode == 0, made.stderr
    community.site.run("from tests.insight import history; history.write()")
    for screen, theme in DASHBOARDS:
        look: dict[str, Any] = {"viewport": SCREENS[screen], "color_scheme": theme}
        with windows.opened(community.guest, **look) as page:
            page.goto("/admin/insight/")
            expect(page.locator("#live")).to_have_class(re.compile("is-live"))
            page.screenshot(path=FOLDER / f"dashboard-{screen}-{theme}.png")


def _report(page: Page, status_id: str) -> None:
    page.goto(f"/statuses/{status_id}/report/")
    page.locator("[name=category][value=spam]").check()
    page.locator("[name=words]").fill(REPORTED)
    page.get_by_role("button", name="Send report").click()
    page.wait_for_url("**/reports/sent/**")


def _somebody_else(page: Page, name: str) -> str:
    """An author on the page of popular posts, other than this one."""
    page.goto("/explore/")
    names: list[str] = re.findall(r'href="/@(\w+)/\d+/"', page.content())
    return next(it for it in names if f"@{it}" != name)


if __name__ == "__main__":
    take_all()
