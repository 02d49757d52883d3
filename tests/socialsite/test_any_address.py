# ruff: noqa: RUF001 - digits of other scripts are what we look for
"""Every address that the site has, with nonsense in it, by every method: a refusal, and no fault.

The walk goes over the patterns themselves, so it meets pages that nobody has thought of.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from statuses.services import post_status
from tests.cast import make_user
from users.models import User

HOLE = re.compile(r"<(?:\w+:)?(\w+)>|\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)")
# In each hole of an address.
NONSENSE = (
    *("0", "1", "-1", "00", "9" * 16, "9" * 19, "9" * 40, "9" * 4_000, "9" * 5_000, "1e9", "0x1"),
    *("٣", "１２", "²", "1.5", "NaN", "None", "null", "%00", "%FF", "%2e%2e%2f", "%0A", "'", "<b>"),
    *("0000-00-00", "0001-01-01", "1969-12-31", "2026-02-30", "9999-12-31", "٢٠٢٦-٠١-٠١"),
    *("alice", "ALICE", "x" * 300, "🦊", "a b", "_5F", "1_5F2", "..", "{}", "%s"),
)
# Of these, one in each hole does for the other methods and for POST.
SOME = ("1", "9" * 19, "alice", "9999-12-31")
OTHER_METHODS = ("HEAD", "OPTIONS", "TRACE", "PUT", "PATCH", "DELETE", "CONNECT", "PROPFIND", "X")
# Ours, and those of the admin.
QUERIES = ("max_id", "since_id", "q", "next", "tab", "page", "p", "o", "e", "_popup", "url")


def routes(patterns: Iterable[Any] | None = None, before: str = "") -> Iterator[str]:
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


def addresses(values: Iterable[str]) -> Iterator[str]:
    for route in dict.fromkeys(routes()):
        plain = re.sub(r"[\^$\\]|\(\?:|\)$", "", route) if "(?" in route else route
        has_hole = HOLE.search(plain)
        for value in values if has_hole else [""]:
            yield "/" + value.join(HOLE.sub("\0", plain).split("\0"))


def faults(browser: Client, method: str, values: Iterable[str]) -> list[str]:
    found = []
    for address in addresses(values):
        status = browser.generic(method, address).status_code
        if status >= 500:
            found.append(f"{status} {method} {address[:100]}")
    return found


@pytest.fixture
def browsers(alice: User) -> dict[str, Client]:
    post_status(author=alice, text="Down the rabbit hole.")
    root = make_user("root", is_staff=True, is_superuser=True)
    found = {"visitor": Client(), "admin": Client()}
    found["admin"].force_login(root)
    for browser in found.values():
        browser.raise_request_exception = False
    return found


def test_the_walk_finds_the_pages(client: Client) -> None:
    found = set(addresses(["1"]))
    assert {"/", "/explore/", "/admin/", "/sitemap-posts-1.xml", "/@1/", "/healthz"} <= found
    assert len(found) > 150


@pytest.mark.parametrize("who", ["visitor", "admin"])
def test_no_address_is_a_fault(browsers: dict[str, Client], who: str) -> None:
    assert faults(browsers[who], "GET", SOME) == []


@pytest.mark.long
@pytest.mark.parametrize("who", ["visitor", "admin"])
def test_no_nonsense_in_an_address_is_a_fault(browsers: dict[str, Client], who: str) -> None:
    assert faults(browsers[who], "GET", NONSENSE) == []


def test_the_days_and_numbers_of_the_sitemap_are_bounded(browsers: dict[str, Client]) -> None:
    for value in NONSENSE:
        for address in (f"/sitemap-posts-{value}.xml", f"/sitemap-people-{value}.xml"):
            assert browsers["visitor"].get(address).status_code in (200, 404), address
    assert browsers["visitor"].get("/sitemap-posts-9999-12-31.xml").status_code == 404
    assert browsers["visitor"].get("/sitemap-posts-2026-01-01.xml").status_code == 200


def test_nobody_is_led_to_rows_that_have_no_page(browsers: dict[str, Client]) -> None:
    for number in range(30):
        assert browsers["admin"].get(f"/admin/r/{number}/1/").status_code == 404


@pytest.mark.parametrize("method", OTHER_METHODS)
def test_only_the_methods_of_browsers_are_answered(
    browsers: dict[str, Client], method: str
) -> None:
    for address in addresses(["1"]):
        answer = browsers["visitor"].generic(method, address)
        if method == "HEAD":
            assert answer.status_code < 500, address
        else:
            assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST"), address


@pytest.mark.parametrize("who", ["visitor", "admin"])
def test_no_empty_form_is_a_fault(browsers: dict[str, Client], who: str) -> None:
    """Some of them log out, or delete the account: the next ones are a visitor's."""
    assert faults(browsers[who], "POST", ["9" * 19]) == []


@pytest.mark.long
@pytest.mark.parametrize("who", ["visitor", "admin"])
def test_no_nonsense_in_a_query_is_a_fault(browsers: dict[str, Client], who: str) -> None:
    for value in ("%00", "9" * 4_000, "-1", "٣", "%FF", "9999-12-31", "1" * 19):
        query = "&".join(f"{name}={value}" for name in QUERIES)
        for address in addresses(["1"]):
            answer = browsers[who].get(f"{address}?{query}")
            assert answer.status_code < 500, f"{address}?{query[:80]}"
