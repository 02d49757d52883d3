"""What a browser makes of the app, the embedded post and the static files of a running site."""

import gzip
import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests import patient_http
from tests.member import Member
from tests.running_site import RunningSite

REGISTER = "navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)"


@pytest.fixture
def visitor(browser: Browser, site: RunningSite) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=site.url)
    yield context
    context.close()


def test_static_files_are_compressed_and_kept_for_ever(site: RunningSite) -> None:
    page = patient_http.get(f"{site.url}/explore/").text
    files = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert files
    for file in files:
        answer = patient_http.get(f"{site.url}{file}")
        assert "immutable" in answer.headers["Cache-Control"]
        assert re.search(r"\.[0-9a-f]{12}\.\w+(#[\w-]+)?$", file)
        if file.endswith((".css", ".js")):
            assert answer.headers["Content-Encoding"] == "gzip"


def test_pages_leave_the_server_compressed_and_once(site: RunningSite) -> None:
    with patient_http.stream("GET", f"{site.url}/", headers={"Accept-Encoding": "gzip"}) as first:
        body = b"".join(first.iter_raw())
    assert first.headers["Content-Encoding"] == "gzip"
    assert int(first.headers["Content-Length"]) == len(body)
    assert gzip.decompress(body).startswith(b"<!doctype html>")
    again = patient_http.get(f"{site.url}/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_without_a_network_there_is_a_page_that_says_so(
    site: RunningSite, visitor: BrowserContext
) -> None:
    page = visitor.new_page()
    page.goto("/explore/")
    page.evaluate(REGISTER)
    page.wait_for_function("navigator.serviceWorker.controller")
    page.reload()
    visitor.set_offline(True)
    page.goto("/@somebody/")
    assert page.get_by_role("heading", name="You're offline").is_visible()
    assert page.evaluate("document.styleSheets.length > 0")
    kept = page.evaluate(
        "caches.keys().then(async (names) => (await (await caches.open(names[0])).keys())"
        ".map((request) => new URL(request.url).pathname))"
    )
    assert "/offline/" in kept
    assert all(path == "/offline/" or path.startswith("/static/") for path in kept)
    visitor.set_offline(False)
    page.goto("/explore/")
    assert page.get_by_role("heading", name="Explore", level=1).is_visible()


def test_a_post_shows_in_a_frame_of_another_site_and_nothing_else_does(
    site: RunningSite, visitor: BrowserContext
) -> None:
    alice = Member(site)
    with closing(alice.browser):
        alice.post("hello, elsewhere")
    feed = patient_http.get(f"{site.url}/@{alice.name}/feed.xml").text
    path = re.search(rf"/@{alice.name}/\d+/", feed)
    assert path is not None
    html = "".join(
        f'<iframe src="{site.url}{it}"></iframe>' for it in (f"{path[0]}embed/", path[0])
    )
    page = visitor.new_page()
    with another_site(html) as address:
        page.goto(address)
    embed = page.frame_locator("iframe").first
    assert embed.get_by_text("hello, elsewhere").is_visible()
    assert embed.get_by_role("link", name="See it on").get_attribute("href") == path[0]
    assert page.frame_locator("iframe").nth(1).get_by_text("hello, elsewhere").count() == 0


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """A real one: Chromium keeps what a test makes up from framing pages of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_arguments: object) -> None:
            """Not into the output of the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
