"""Accounts over real HTTP."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.running_site import RunningSite

PASSWORD = "correct horse battery"


def sign_up(site: RunningSite, username: str) -> httpx.Response:
    """As a browser would: fetch the form, send it back with its token."""
    with httpx.Client(base_url=site.url, timeout=60) as browser:
        form = browser.get("/signup/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
        assert token
        fields = {"username": username, "email": f"{username}@example.com", "password": PASSWORD}
        return browser.post("/signup/", data=fields | {"csrfmiddlewaretoken": token[1]})


def test_of_24_simultaneous_sign_ups_for_one_name_one_wins(site: RunningSite) -> None:
    """Four times as many as the site serves at once: each that it takes hashes a password."""
    name = f"rush_{uuid.uuid4().hex[:8]}"
    names = [name.upper() if n % 2 else name for n in range(24)]
    with ThreadPoolExecutor(24) as threads:
        answers = list(threads.map(lambda each: sign_up(site, each), names))
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [302] + [400] * 23
    assert all("This username is taken" in a.text for a in answers if a.status_code == 400)

    found = f"User.objects.filter(username__iexact='{name}').count()"
    assert site.run(f"from users.models import User; print({found})") == "1"


@pytest.fixture
def username() -> str:
    return f"alice_{uuid.uuid4().hex[:8]}"


def test_a_person_signs_up_logs_out_and_logs_in_with_a_browser(
    browser: Browser, site: RunningSite, username: str
) -> None:
    phone = ViewportSize(width=390, height=844)
    with browser.new_page(base_url=site.url, viewport=phone) as page:
        _sign_up_by_hand(page, username)
        page.locator("summary:visible", has=page.locator(".avatar")).click()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("link", name="Create an account")).to_be_visible()
        _log_in_by_hand(page, username.upper())
        expect(page.get_by_role("heading", name="Home")).to_be_visible()
        assert _is_as_wide_as_the_screen(page)


def test_a_wrong_password_is_told_without_a_hint(
    browser: Browser, site: RunningSite, username: str
) -> None:
    with browser.new_page(base_url=site.url) as page:
        page.goto("/login/")
        page.get_by_label("Username").fill(username)
        page.get_by_label("Password").fill("not the password")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("do not match")


def _sign_up_by_hand(page: Page, username: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Username").fill(username)
    page.get_by_label("E-mail address").fill(f"{username}@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", name=f"Welcome, {username}!")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", name="Home")).to_be_visible()


def _log_in_by_hand(page: Page, username: str) -> None:
    page.goto("/login/")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def _is_as_wide_as_the_screen(page: Page) -> bool:
    """Nothing sticks out to the right on a phone."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
