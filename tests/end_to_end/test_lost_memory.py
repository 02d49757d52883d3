"""A Redis that forgets everything under a running site."""

import re

import httpx
import pytest

from tests.running_site import ReturningSite, RunningSite

COMMUNITY = ["--users", "25", "--statuses", "250"]


@pytest.fixture
def seeded_site(returning_site: ReturningSite) -> RunningSite:
    site = returning_site.running()
    seeded = site.manage("seed_demo", *COMMUNITY)
    assert seeded.returncode == 0, seeded.stderr
    return site


def log_in(browser: httpx.Client) -> None:
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get("/login/").text)
    assert token
    form = {"username": "demo", "password": "have a look around", "csrfmiddlewaretoken": token[1]}
    assert browser.post("/login/", data=form).url.path == "/"


def statuses_on(browser: httpx.Client, path: str) -> list[str]:
    """The ids of the statuses on a page, in their order."""
    found = re.findall(r'<article[^>]* id="status-(\d+)"', browser.get(path).text)
    assert found, f"{path} shows statuses"
    return found


def test_pages_stay_right_and_a_rebuild_agrees_with_sql(
    seeded_site: RunningSite, returning_site: ReturningSite
) -> None:
    with httpx.Client(base_url=seeded_site.url, follow_redirects=True, timeout=30) as browser:
        log_in(browser)
        before = [statuses_on(browser, path) for path in ("/", "/@demo/", "/explore/newest/")]
        with returning_site.redis() as redis:
            redis.flushall()  # of a site that nobody else reads
        after = [statuses_on(browser, path) for path in ("/", "/@demo/", "/explore/newest/")]
        assert after == before, "built when read; nobody is logged out"

    rebuilt = seeded_site.manage("rebuild_timelines")
    assert rebuilt.returncode == 0, rebuilt.stderr
    checked = seeded_site.manage("check_timelines")
    assert checked.stdout.endswith(": Redis agrees with SQL\n")
    assert checked.returncode == 0
