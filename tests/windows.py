"""Browser windows that tests use one after another: to open one costs as much as two pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from playwright.sync_api import Browser, BrowserContext, Error, Page

# A page of the site without scripts, from where its storage can be emptied.
EMPTY = "/robots.txt"
FORGET = "localStorage.clear(); sessionStorage.clear()"
# These can change in a window that is open.
DEFAULT: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}


class Windows:
    """Of one browser, each with a context of its own. `script` runs on every page before theirs.

    Service workers are kept out: they would answer requests that a test wants to hold up.
    """

    def __init__(self, browser: Browser, url: str, script: str = "") -> None:
        self._browser = browser
        self._url = url
        self._script = script
        self._free: dict[str, list[Page]] = {}

    @contextmanager
    def opened(self, cookies: httpx.Cookies | None = None, **options: Any) -> Iterator[Page]:
        """A page without history, storage or cookies but these. A failed test takes it along."""
        look = {name: options.pop(name, usual) for name, usual in DEFAULT.items()}
        free = self._free.setdefault(repr(sorted(options.items())), [])
        page = free.pop() if free else self._open(options)
        try:
            page.set_viewport_size(look["viewport"])
            page.emulate_media(color_scheme=look["color_scheme"])
            set_cookies(page.context, cookies, self._url)
            yield page
            if not page.is_closed():
                _empty(page)
                free.append(page)
        finally:
            if page not in free:
                page.context.close()

    def _open(self, options: dict[str, Any]) -> Page:
        context = self._browser.new_context(
            base_url=self._url, service_workers="block", **DEFAULT, **options
        )
        if self._script:
            context.add_init_script(self._script)
        return context.new_page()


def set_cookies(context: BrowserContext, cookies: httpx.Cookies | None, url: str) -> None:
    for name, value in (cookies or {}).items():
        context.add_cookies([{"name": name, "value": value, "url": url}])


def _empty(page: Page) -> None:
    context = page.context
    for other in context.pages:
        if other != page:
            other.close()
    page.unroute_all()
    _leave(page)
    page.evaluate(FORGET)
    context.clear_cookies()
    context.clear_permissions()
    session = context.new_cdp_session(page)
    session.send("Page.resetNavigationHistory")
    session.detach()


def _leave(page: Page) -> None:
    try:
        page.goto(EMPTY)
    except Error:
        # A step back in the history, begun before, had ended only now and taken its place.
        page.goto(EMPTY)
