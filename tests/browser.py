"""A real Chromium, driven by Playwright."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserType, expect, sync_playwright

# What has no window draws pages with a quarter less work than the browser that people use.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
HOW_TO_GET_IT = (
    f"Chromium is not on PATH: `sudo apt-get install {PROGRAMS[0]}`, then run the tests again"
)
# Without these, Chromium draws boxes, and lines break where nobody's lines break.
SCRIPTS = {"Chinese": "lang=zh-cn", "Japanese": "lang=ja", "emoji": "charset=1f600:color=true"}
# What Playwright turns off: Chromium obeys the last list only, which is ours.
PLAYWRIGHT_DISABLES = (
    "AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades"
    " HttpsFirstBalancedModeAutoEnable LensOverlay MediaRouter PaintHolding"
    " ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect TcpPortRandomizationWin"
    " OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch"
    " msForceBrowserSignIn msEdgeUpdateLaunchServicesPreferredVersion"
).split()
# The suggestions below the address bar, which nobody sees, are a page of their own in every window:
# three quarters of what a window costs.
ADDRESS_BAR = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"]
FLAGS = [
    f"--disable-features={','.join((*PLAYWRIGHT_DISABLES, *ADDRESS_BAR))}",
    # Without windows it would ask in no language.
    "--accept-lang=en-US,en",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# On a busy machine, what comes may come late.
expect.set_options(timeout=60_000)


def missing_fonts() -> list[str]:
    """What no installed font has. Systems that don't use fontconfig come with all."""
    if shutil.which("fc-list") is None:
        return []
    return [name for name, pattern in SCRIPTS.items() if not _fonts_with(pattern)]


def _fonts_with(pattern: str) -> str:
    listed = subprocess.run(["fc-list", f":{pattern}"], capture_output=True, text=True, check=True)
    return listed.stdout


@contextmanager
def chromium() -> Iterator[Browser]:
    if os.environ.get("CI") and (missing := missing_fonts()):
        pytest.fail(f"No font has {', '.join(missing)}: run deploy/install-chromium.sh")
    with sync_playwright() as playwright, launched(playwright.chromium) as browser:
        yield browser


@contextmanager
def remembering(browser: Browser) -> Iterator[Browser]:
    """Another one, which shows pages after "back" out of its memory, as people's browsers do."""
    hidden = ["--disable-back-forward-cache"]
    with launched(browser.browser_type, ignore_default_args=hidden) as other:
        yield other


@contextmanager
def launched(kind: BrowserType, **options: Any) -> Iterator[Browser]:
    browser = kind.launch(executable_path=_executable(), args=FLAGS, **options)
    try:
        yield browser
    finally:
        browser.close()


def _executable() -> str:
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None and os.environ.get("CI"):
        pytest.fail(HOW_TO_GET_IT)
    return found or pytest.skip(HOW_TO_GET_IT)
