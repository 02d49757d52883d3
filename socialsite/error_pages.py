"""Django's debug pages and error reports, without the passwords of our stores.

Django hides settings by their names, but these are parts of URLs, which turn up in settings, local
variables and messages. So we remove them from the finished page.
"""

from collections.abc import Iterator
from html import escape
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter

BLOT = "********"


class BlottingReporter(ExceptionReporter):
    def get_traceback_html(self) -> SafeString:
        return SafeString(blotted(super().get_traceback_html()))

    def get_traceback_text(self) -> SafeString:
        return SafeString(blotted(super().get_traceback_text()))


def blotted(page: str) -> str:
    # Longest first: one may be part of another.
    for secret in sorted(set(_secrets()), key=len, reverse=True):
        for spelling in (secret, escape(secret)):
            page = page.replace(spelling, BLOT)
    return page


def _secrets() -> Iterator[str]:
    for url in (settings.DATABASE_URL, settings.REDIS_URL):
        parts = urlsplit(url or "")
        options = (option.partition("=") for option in parts.query.split("&"))
        passwords = [value for name, _, value in options if "password" in name]
        for written in filter(None, [parts.password, *passwords]):
            yield from (written, unquote(written))
