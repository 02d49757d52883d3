"""Account safety by hand, in a browser that runs no JavaScript, on a site with a real worker."""

import json
import time
import uuid
from pathlib import Path
from zipfile import ZipFile

import pyotp
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.end_to_end.test_reading_and_posting import PASSWORD, sign_up
from tests.running_site import RunningSite, wait_for

pytestmark = pytest.mark.long


def test_somebody_exports_their_data(browser: Browser, site: RunningSite, tmp_path: Path) -> None:
    name = f"alice_{uuid.uuid4().hex[:8]}"
    page = sign_up(browser, site, name)
    page.get_by_label("What's happening?").fill("Down the rabbit hole")
    page.get_by_role("button", name="Post", exact=True).click()
    page.goto("/settings/export/")
    page.get_by_role("button", name="Make my export").click()
    wait_for(lambda: _is_ready(page))
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download").click()
    downloading.value.save_as(tmp_path / "export.zip")
    with ZipFile(tmp_path / "export.zip") as zipped:
        assert zipped.testzip() is None
        (status,) = json.loads(zipped.read("statuses.json"))
    assert status["text"] == "Down the rabbit hole"


def _is_ready(page: Page) -> bool:
    page.goto("/settings/export/")
    return page.get_by_role("heading", name="Your export is ready").is_visible()


def test_somebody_turns_two_factor_log_in_on_and_uses_it(
    browser: Browser, site: RunningSite
) -> None:
    name = f"alice_{uuid.uuid4().hex[:8]}"
    page = sign_up(browser, site, name)
    page.goto("/settings/two-factor/")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    app = pyotp.TOTP(page.locator("code.secret").inner_text())
    page.get_by_role("textbox", name="Code").fill(app.now())
    page.get_by_role("button", name="Turn on").click()
    codes = page.locator("code.secret").all_inner_texts()
    assert len(codes) == 10

    _log_out(page)
    _give_password(page, name)
    page.get_by_role("textbox", name="Code").fill(
        app.at(int(time.time()) + 30)
    )  # the next one: this one is used
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()

    _log_out(page)
    _give_password(page, name)
    page.get_by_role("textbox", name="Code").fill(codes[0])
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def test_somebody_leaves_and_comes_back(browser: Browser, site: RunningSite) -> None:
    name = f"alice_{uuid.uuid4().hex[:8]}"
    page = sign_up(browser, site, name)
    page.goto("/settings/delete/")
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Delete my account").click()
    expect(page.get_by_role("heading", name="Good-bye")).to_be_visible()
    assert page.goto(f"/@{name}/").status == 404  # type: ignore[union-attr] # there is an answer
    _give_password(page, name)
    page.get_by_role("button", name="Keep my account").click()
    expect(page.get_by_text("Welcome back.")).to_be_visible()
    assert page.goto(f"/@{name}/").status == 200  # type: ignore[union-attr] # as above


def _log_out(page: Page) -> None:
    page.goto("/settings/")
    page.get_by_role("button", name="Log out").click()


def _give_password(page: Page, name: str) -> None:
    page.goto("/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
