"""The browser of these tests: what Playwright turns off in it stays off."""

import psutil
from playwright.sync_api import Browser

OFF = "--disable-features="


def command_of(process: psutil.Process) -> list[str]:
    """Empty if it has just ended, as those that draw pages do."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_our_list_of_disabled_features_has_all_of_playwrights(browser: Browser) -> None:
    """Chromium obeys the last list of its command line only."""
    assert browser.is_connected()
    commands = [command_of(it) for it in psutil.Process().children(recursive=True)]
    started = next(it for it in commands if "--remote-debugging-pipe" in it)
    playwrights, *_, ours = [set(it[len(OFF) :].split(",")) for it in started if it.startswith(OFF)]
    assert playwrights < ours
