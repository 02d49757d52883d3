"""All pages, from the site's own table of addresses: a new one can't be forgotten."""

from collections.abc import Iterable, Iterator, Mapping

import httpx
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.exceptions import NoReverseMatch

# Django's own pages.
NOT_OURS = ("admin",)


def pages(browser: httpx.Client, values: Mapping[str, str]) -> list[str]:
    """Where a GET answers with a page. `values` fill the addresses that need some."""
    return [it for it in sorted(set(_addresses(values))) if _is_page(browser.get(it))]


def _is_page(answer: httpx.Response) -> bool:
    """Not a part of one, for scripts."""
    is_html = answer.headers["Content-Type"].startswith("text/html")
    return answer.status_code == 200 and is_html and "<!doctype html>" in answer.text


def _addresses(values: Mapping[str, str]) -> Iterator[str]:
    for pattern in _patterns(get_resolver().url_patterns):
        wanted = {name: values[name] for name in pattern.pattern.converters if name in values}
        try:
            yield reverse(pattern.name or "", kwargs=wanted)
        except NoReverseMatch:
            continue  # it needs something that only a mail has


def _patterns(entries: Iterable[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for entry in entries:
        if isinstance(entry, URLPattern):
            yield entry
        elif entry.app_name not in NOT_OURS:
            yield from _patterns(entry.url_patterns)
