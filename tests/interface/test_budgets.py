"""What a page may weigh, and what it never waits for."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Response

from tests.interface.community import Community, busiest_status, client_of
from tests.windows import Windows

MOST_HTML = 60_000
MOST_COMPRESSED = 12_000
MOST_SCRIPT = 50_000
FILES = re.compile(r'(?:src|href)="(/static/[^"]+)"')
SCRIPTS = re.compile(r"<script\b[^>]*>")
HOLDS_NO_CODE = 'type="application/json"'


@pytest.fixture
def guest(community: Community) -> Iterator[httpx.Client]:
    with client_of(community.url, community.guest) as client:
        yield client


def _sent(client: httpx.Client, encoding: str) -> bytes:
    with client.stream("GET", "/", headers={"Accept-Encoding": encoding}) as answer:
        assert answer.headers.get("Content-Encoding", "identity") == encoding
        return b"".join(answer.iter_raw())


def test_a_home_of_thirty_posts_is_light(guest: httpx.Client) -> None:
    html = _sent(guest, "identity")
    assert html.count(b"<article") == 30
    assert len(html) < MOST_HTML
    assert len(_sent(guest, "gzip")) < MOST_COMPRESSED


def test_pages_are_drawn_before_scripts_run(guest: httpx.Client) -> None:
    scripts = [it for it in SCRIPTS.findall(guest.get("/").text) if HOLDS_NO_CODE not in it]
    assert scripts
    for tag in scripts:
        assert " src=" in tag
        assert " defer" in tag or 'type="module"' in tag


def test_files_are_kept_for_ever_and_nothing_inline_is_run(guest: httpx.Client) -> None:
    home = guest.get("/")
    policy = home.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    files = set(FILES.findall(home.text))
    assert len(files) > 10
    for address in files:
        assert "immutable" in guest.get(address).headers["Cache-Control"], address


def test_all_scripts_that_pages_begin_with_are_small(
    windows: Windows, community: Community
) -> None:
    """As browsers get them. The first @ and the first shortcut bring a little more."""
    sizes: dict[str, int] = {}

    def note(answer: Response) -> None:
        if answer.request.resource_type == "script":
            sizes[answer.url] = 0

    with windows.opened(community.guest) as page:
        page.on("response", note)
        page.goto("/")
        status = busiest_status(page)
        for address in (status, f"/{status.split('/')[1]}/"):
            page.goto(address)
        for address in sizes:
            sizes[address] = len(page.request.get(address).body())
        page.remove_listener("response", note)
    assert len(sizes) > 8
    assert sum(sizes.values()) < MOST_SCRIPT, sizes
