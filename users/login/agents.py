"""What a browser calls itself, in words that its owner recognises."""

import re

from django.utils.translation import gettext

LONGEST = 200

# The first that fits counts: most browsers also claim to be those further down.
BROWSERS = {
    "Edge": r"Edg(e|A|iOS)?/",
    "Opera": r"OPR/|Opera",
    "Samsung Internet": r"SamsungBrowser/",
    "Vivaldi": r"Vivaldi/",
    "Firefox": r"Firefox/|FxiOS/",
    "Chrome": r"Chrome/|Chromium/|CriOS/",
    "Safari": r"Version/[\d.]+ .*Safari/",
    "curl": r"^curl/",
    "Python": r"^python|httpx",
}
SYSTEMS = {
    "iPhone": r"iPhone",
    "iPad": r"iPad",
    "Android": r"Android",
    "Windows": r"Windows",
    "ChromeOS": r"CrOS",
    "macOS": r"Mac OS X|Macintosh",
    "Linux": r"Linux|X11",
}


def shortened(agent: str) -> str:
    """As it is kept: anybody can send a megabyte of it, and bytes that are no text."""
    return agent[:LONGEST].encode("utf-8", "replace").decode().replace("\0", "")


def described(agent: str) -> str:
    browser, system = _first(BROWSERS, agent), _first(SYSTEMS, agent)
    if browser and system:
        return gettext("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or gettext("Unknown device")


def _first(names: dict[str, str], agent: str) -> str:
    fits = (name for name, pattern in names.items() if re.search(pattern, agent))
    return next(fits, "")
