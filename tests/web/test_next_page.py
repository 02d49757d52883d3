"""Where a form leads to: only to pages of this site, whatever it was sent with."""

import pytest
from django.test import Client, RequestFactory

from tests.cast import browser_of
from users.models import User
from web.next_page import next_page, page_before

ELSEWHERE = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\t/evil.example/",
    "javascript:alert(1)",
]
# Django would look for a view of this name, and find none, or another page.
NO_ADDRESS = ["no-such-page", "logout", "-1", "[]", "<x>'\"", "\x00", "./there", "?a=b"]


@pytest.mark.parametrize("wanted", ELSEWHERE + NO_ADDRESS)
def test_nothing_but_the_path_of_a_page_counts(wanted: str, rf: RequestFactory) -> None:
    assert next_page(rf.post("/", {"next": wanted}), default="/default/") == "/default/"


@pytest.mark.parametrize("wanted", ["/", "/@alice/?max_id=5#status-7", "/tags/茶/"])
def test_a_page_of_ours_is_next(wanted: str, rf: RequestFactory) -> None:
    assert next_page(rf.post("/", {"next": wanted})) == wanted


@pytest.mark.parametrize("wanted", NO_ADDRESS)
def test_a_form_that_names_no_page_leads_home(alice: User, bob: User, wanted: str) -> None:
    answer = browser_of(bob).post("/@alice/follow/", {"next": wanted})
    assert (answer.status_code, answer["Location"][0]) == (302, "/")
    answer = Client().post("/language/", {"language": "en", "next": wanted})
    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize(
    ("referrer", "path"),
    [
        ("http://testserver/@alice/?max_id=5", "/@alice/?max_id=5"),
        ("http://testserver//evil.example/", ""),
        ("http://evil.example/@alice/", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_the_page_before_is_one_of_ours(rf: RequestFactory, referrer: str, path: str) -> None:
    assert page_before(rf.get("/", headers={"Referer": referrer})) == path
