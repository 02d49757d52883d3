"""The site that the browser looks at."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, Page, StorageState

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
        self._guest: StorageState | None = None

    def visitor(self, browser: Browser, **options: Any) -> BrowserContext:
        usual: dict[str, Any] = {"base_url": self.url, "viewport": DESKTOP}
        return browser.new_context(**(usual | options))

    def guest(self, browser: Browser, **options: Any) -> BrowserContext:
        """Logged in: the browser does that once."""
        if self._guest is None:
            self._guest = self.log_in(browser, GUEST)
        return self.visitor(browser, storage_state=self._guest, **options)

    def log_in(self, browser: Browser, name: str) -> StorageState:
        """The session of one of the people, who all have the same password."""
        context = self.visitor(browser, java_script_enabled=False)
        page = context.new_page()
        page.goto("/login/")
        page.locator("input[name=username]").fill(name)
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("main form .button-main").click()
        assert page.url == f"{self.url}/"
        state = context.storage_state()
        context.close()
        return state


@contextmanager
def community_site(seeded: Path) -> Iterator[Community]:
    """Serves a copy of a folder that `seed` has filled."""
    with temporary_folder() as folder:
        shutil.copytree(seeded, folder, dirs_exist_ok=True)
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
