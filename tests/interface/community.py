"""The site that the browser looks at."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import httpx
from django.conf import settings
from playwright.sync_api import Page

from demo.people import GUEST, PASSWORD
from tests.running_site import RunningSite, site_environment, temporary_folder

# Tests turn pages faster than people do, and every page opens a stream.
MANY = "10000"
SETTINGS = "tests.interface.site_settings"
# Ten times what it takes on two quiet cores.
SEED_SECONDS = 480
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


class Community:
    """A site of people who talk to each other; the guest knows some of them."""

    def __init__(self, site: RunningSite) -> None:
        self.site = site
        # By the name that its streams have too: a cookie is for one host.
        self.url = f"http://localhost:{site.port}"

    @cached_property
    def guest(self) -> httpx.Cookies:
        return self.log_in(GUEST)

    def log_in(self, name: str) -> httpx.Cookies:
        """The session of one of the people, who all have the same password."""
        with client_of(self.url) as client:
            fields = {"username": name, "password": PASSWORD, **token_on(client, "/login/")}
            answer = client.post("/login/", data=fields)
            assert (answer.status_code, answer.headers["Location"]) == (302, "/"), answer.text
            return client.cookies


def client_of(url: str, cookies: httpx.Cookies | None = None) -> httpx.Client:
    return httpx.Client(base_url=url, cookies=cookies, headers={"Origin": url}, timeout=60)


def token_on(client: httpx.Client, address: str) -> dict[str, str]:
    """What a form of this page sends along."""
    page = client.get(address).text
    (token, *_) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    return {"csrfmiddlewaretoken": token}


@contextmanager
def community_site(seeded: Path) -> Iterator[Community]:
    """Serves a copy of a folder that `seed` has filled."""
    with temporary_folder() as folder:
        shutil.copytree(seeded, folder, symlinks=True, dirs_exist_ok=True)
        many = {"STREAM_CONNECTS_PER_MINUTE": MANY, "SIGNUPS_PER_HOUR": MANY}
        site = RunningSite(folder, STREAM_WORKERS="1", DJANGO_SETTINGS_MODULE=SETTINGS, **many)
        try:
            site.wait_until_ready()
            yield Community(site)
        finally:
            site.stop()


def seed(folder: Path, *sizes: str) -> None:
    """`sizes` are options of `seed_demo`."""
    subprocess.run(
        [sys.executable, "manage.py", "seed_demo", *sizes],
        cwd=settings.BASE_DIR,
        env=site_environment(folder, DJANGO_SETTINGS_MODULE=SETTINGS),
        check=True,
        capture_output=True,
        timeout=SEED_SECONDS,
    )


def busiest_status(page: Page) -> str:
    """The address of a status that was answered, on the page that is open."""
    addresses = page.locator("a[data-action=reply]:has(.count)")
    address = addresses.first.get_attribute("href") or ""
    return re.sub("#.*", "", address)
