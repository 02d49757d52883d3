"""Streams in a real browser, from the pages of a running site."""

import uuid
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.running_site import RunningSite, wait_for

PASSWORD = "correct horse battery"

OPEN_HOME_STREAM = """url => {
    window.got = [];
    window.source = new EventSource(url, {withCredentials: true});
    for (const name of ["update", "delete"])
        source.addEventListener(name, event => got.push([name, event.lastEventId, event.data]));
    return new Promise(resolve => { source.onopen = () => resolve(); });
}"""


@pytest.fixture
def username() -> str:
    return f"alice_{uuid.uuid4().hex[:8]}"


@pytest.fixture
def page(browser: Browser, site: RunningSite, username: str) -> Iterator[Page]:
    # The host of SITE_URL and STREAM_URL: cookies belong to a host, whatever its port.
    with browser.new_page(base_url=f"http://localhost:{site.port}") as page:
        _sign_up(page, username)
        yield page


def _sign_up(page: Page, username: str) -> None:
    page.goto("/signup/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("E-mail address").fill(f"{username}@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def _post(site: RunningSite, username: str, text: str) -> int:
    code = (
        "from statuses.services import post_status; from users.models import User;"
        f"print(post_status(author=User.objects.get(username={username!r}), text={text!r}).pk)"
    )
    return int(site.manage("shell", "-v0", "-c", code).stdout)


def test_a_browser_follows_its_home_and_a_filtered_stream(
    site: RunningSite, page: Page, username: str
) -> None:
    page.evaluate(OPEN_HOME_STREAM, f"http://localhost:{site.stream_port}/streaming/home")
    status_id = _post(site, username, "straight into the page")
    wait_for(lambda: page.evaluate("got.length") == 1, what="an update")
    name, last_event_id, data = page.evaluate("got[0]")
    assert (name, last_event_id.isdecimal()) == ("update", True)
    assert f'id="status-{status_id}"' in data

    token = site.manage("access_token", username).stdout.strip()
    page.goto("/developers/stream/")
    page.get_by_label("Access token").fill(token)
    page.get_by_label("Words").fill("page")
    expect(page.locator("#demo-command")).to_contain_text("filter.json?track=page")
    page.get_by_role("button", name="Listen").click()
    expect(page.get_by_role("status")).to_contain_text("Listening")
    _post(site, username, "<b>another</b> page")
    expect(page.locator("#demo-messages")).to_contain_text("<b>another</b> page")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("status")).to_contain_text("Stopped")
