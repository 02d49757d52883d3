"""What must be true of every page, whatever is on it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import ConsoleMessage, Error, Page, Request

from tests.running_site import RunningSite

MOST_SHIFT = 0.02
JUMPS = " jumps by "
WORKER_IS_KEPT_OUT = "Service Worker registration blocked by Playwright"
# Adds up how far things jump by themselves. What a person asked the server for may move things when
# it comes, however late: browsers excuse that for half a second after a click alone. The same goes
# for a screen that changes its size, which a busy machine may draw later than that.
MEASURE_SHIFTS = """
const EXCUSED = 500;
let touched = -Infinity;
let answered = -Infinity;
let asked = 0;
let resized = -Infinity;
window.shifts = 0;
for (const name of ["keydown", "pointerdown"])
  addEventListener(name, ({ timeStamp }) => (touched = timeStamp), true);
addEventListener("resize", ({ timeStamp }) => (resized = timeStamp));
const load = window.fetch;
window.fetch = async (...what) => {
  const isAsked = performance.now() - touched < EXCUSED;
  asked += isAsked;
  try {
    return await load(...what);
  } finally {
    if (isAsked) {
      asked -= 1;
      answered = performance.now();
    }
  }
};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput || asked || entry.startTime - answered < EXCUSED) continue;
    if (Math.abs(entry.startTime - resized) < EXCUSED) continue;
    window.shifts += entry.value;
    const moved = entry.sources.map(({ node }) => node?.className ?? node?.nodeName);
    if (window.shifts >= MOST_SHIFT)
      console.warn(`${location.pathname}JUMPS${window.shifts}: ${moved.join(", ")}`);
  }
}).observe({ type: "layout-shift", buffered: true });
""".replace("MOST_SHIFT", str(MOST_SHIFT)).replace("JUMPS", JUMPS)
# Elements that reach beyond the screen, by their tags and classes; what scrolls by itself may.
OVERFLOWING = """
() => [...document.querySelectorAll("body *")].filter((it) => {
  const box = it.getBoundingClientRect();
  if (!box.width || !box.height || box.right <= innerWidth + 1) return false;
  for (let up = it; up; up = up.parentElement)
    if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(up).overflowX)) return false;
  return true;
}).map((it) => `${it.tagName}.${it.className}`)
"""

HEARD = ("serious", "critical")
RUN_AXE = "() => axe.run({ resultTypes: ['violations'] }).then((it) => it.violations)"


class Watched:
    """A page, and what went wrong on it.

    `expected` is part of an error that a test provokes; `jumps_at`, a pattern, matches the paths
    of pages on which it makes things jump.
    """

    def __init__(self, page: Page, site: RunningSite, expected: str, jumps_at: str) -> None:
        self.page = page
        self._expected = expected
        self._jumps_at = re.compile(rf"(?:{jumps_at}){JUMPS}") if jumps_at else None
        self.complaints: list[str] = []
        self._ours = {urlsplit(url).port for url in (site.url, site.stream_url)}
        page.on("console", self._note_message)
        page.on("pageerror", self._note_error)
        page.on("request", self._note_request)

    def end(self) -> None:
        """Others use the page after this."""
        self.page.remove_listener("console", self._note_message)
        self.page.remove_listener("pageerror", self._note_error)
        self.page.remove_listener("request", self._note_request)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(f"error: {error}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning") or message.text == WORKER_IS_KEPT_OUT:
            return
        if not self._is_expected(message.text):
            self.complaints.append(f"console: {message.text} {message.location['url']}")

    def _is_expected(self, text: str) -> bool:
        if self._expected and self._expected in text:
            return True
        return bool(self._jumps_at and self._jumps_at.match(text))

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme in ("http", "https") and parts.port not in self._ours:
            self.complaints.append(f"left the site: {request.url}")

    def shift(self) -> float:
        return float(self.page.evaluate("window.shifts || 0"))

    def overflow(self) -> list[str]:
        return list(self.page.evaluate(OVERFLOWING))


@contextmanager
def watched(
    page: Page, site: RunningSite, *, expected: str = "", jumps_at: str = ""
) -> Iterator[Watched]:
    """Fails at its end if the page complained, jumped, or left the site."""
    watch = Watched(page, site, expected, jumps_at)
    yield watch
    watch.end()
    assert watch.complaints == [], watch.complaints


def barriers(page: Page) -> list[str]:
    """What axe calls serious or critical."""
    if page.evaluate("!window.axe"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE)
    return [
        f"{it['id']} ({it['impact']}): {[node['target'] for node in it['nodes']][:5]}"
        for it in found
        if it["impact"] in HEARD
    ]
