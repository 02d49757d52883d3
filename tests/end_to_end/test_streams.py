"""Streams in a real browser, from the pages of a running site."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Page, Route, expect

from tests.member import Member
from tests.running_site import RunningSite, wait_for
from tests.windows import set_cookies

CORS = {"Access-Control-Allow-Credentials": "true"}
OPEN_HOME_STREAM = """url => {
    window.got = [];
    window.source = new EventSource(url, {withCredentials: true});
    for (const name of ["update", "delete"])
        source.addEventListener(name, event => got.push([name, event.lastEventId, event.data]));
    return new Promise(resolve => { source.onopen = () => resolve(); });
}"""


@pytest.fixture
def member(site: RunningSite) -> Iterator[Member]:
    member = Member(site)
    with closing(member.browser):
        yield member


@pytest.fixture
def username(member: Member) -> str:
    return member.name


@pytest.fixture
def page(browser: Browser, site: RunningSite, member: Member) -> Iterator[Page]:
    # The host of SITE_URL and STREAM_URL: cookies belong to a host, not to its port.
    address = f"http://localhost:{site.port}"
    with browser.new_page(base_url=address) as page:
        set_cookies(page.context, member.browser.cookies, address)
        page.goto("/")
        expect(page.get_by_role("heading", name="Home")).to_be_visible()
        yield page


def _post(site: RunningSite, username: str, text: str) -> int:
    code = (
        "from statuses.services import post_status; from users.models import User;"
        f"print(post_status(author=User.objects.get(username={username!r}), text={text!r}).pk)"
    )
    return int(site.run(code))


def test_a_browser_follows_its_home_and_a_filtered_stream(
    site: RunningSite, page: Page, username: str
) -> None:
    page.evaluate(OPEN_HOME_STREAM, f"http://localhost:{site.stream_port}/streaming/home")
    status_id = _post(site, username, "straight into the page")
    wait_for(lambda: page.evaluate("got.length") == 1, what="an update")
    name, last_event_id, data = page.evaluate("got[0]")
    assert (name, last_event_id.isdecimal()) == ("update", True)
    assert f'id="status-{status_id}"' in data

    page.goto("/developers/stream/")
    expect(page.get_by_label("Access token")).to_have_count(0)
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.locator("#demo-messages")).to_be_hidden()
    page.get_by_label("Words").fill("page")
    expect(page.locator("#demo-command")).to_contain_text("filter.json?track=page")
    page.get_by_role("button", name="Listen").click()
    expect(page.locator("#demo-state")).to_contain_text("Listening")
    _post(site, username, "<b>another</b> page")
    expect(page.locator("#demo-messages")).to_contain_text("<b>another</b> page")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#demo-state")).to_contain_text("Stopped")


def test_visitors_give_a_token_and_without_javascript_they_see_no_form(
    site: RunningSite, browser: Browser, page: Page, username: str
) -> None:
    token = site.manage("access_token", username).stdout.strip()
    address = f"http://localhost:{site.port}/developers/stream/"
    with browser.new_page() as visitor:
        visitor.goto(address)
        visitor.get_by_label("Access token").fill(token)
        visitor.get_by_label("People", exact=True).fill(username)
        visitor.get_by_role("button", name="Listen").click()
        expect(visitor.locator("#demo-state")).to_contain_text("Listening")
        assert visitor.url == address
    with browser.new_page(java_script_enabled=False) as visitor:
        visitor.goto(address)
        expect(visitor.locator("form#stream-demo")).to_be_hidden()


def test_the_demonstration_waits_and_comes_back_to_where_it_was(
    site: RunningSite, page: Page, username: str
) -> None:
    asked, answers = [], [503, 420, 416]

    def refuse_some(route: Route) -> None:
        asked.append(route.request.url)
        if not answers:
            return route.continue_()
        headers = {"Retry-After": "0.1", "Access-Control-Expose-Headers": "retry-after"}
        headers |= CORS | {"Access-Control-Allow-Origin": f"http://localhost:{site.port}"}
        return route.fulfill(status=answers.pop(0), headers=headers, json={"error": "not now"})

    page.goto("/developers/stream/")
    page.route("**/filter.json*", refuse_some)
    page.get_by_label("People", exact=True).fill(username)
    page.get_by_role("button", name="Listen").click()
    expect(page.locator("#demo-state")).to_contain_text("Listening", timeout=20_000)
    assert len(asked) == 4


def test_the_documented_event_source_recovers_from_refusals(
    site: RunningSite, page: Page, username: str
) -> None:
    docs = (django_settings.BASE_DIR / "docs" / "streaming.md").read_text()
    example = next(part for part in docs.split("```") if part.startswith("js\nfunction follow"))
    refusals = [416, 420, 503]

    def refuse_some(route: Route) -> None:
        if not refusals:
            return route.continue_()
        return route.fulfill(status=refusals.pop(0), json={"error": "not now"})

    page.route("**/streaming/home", refuse_some)
    page.evaluate(
        f"""url => {{
            {example.removeprefix("js")}
            window.read = 0;
            const wait = window.setTimeout;
            window.setTimeout = (work, _pause, ...rest) => wait(work, 10, ...rest);
            const timeline = document.createElement("div");
            timeline.id = "followed";
            document.body.append(timeline);
            follow(url, timeline, () => {{ window.read += 1; }});
        }}""",
        f"http://localhost:{site.stream_port}/streaming/home",
    )
    wait_for(lambda: page.evaluate("read") == 1, what="the fourth try to succeed")
    status_id = _post(site, username, "after three refusals")
    expect(page.locator(f"#followed #status-{status_id}")).to_have_count(1)
