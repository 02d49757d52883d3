"""Every refusal is a page for people, a line for scripts, and JSON for programs."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import include, path
from django.utils.html import escape

from socialsite.urls import handler400, handler403, handler404, handler500
from statuses.services import post_status
from tests.cast import browser_of
from users.models import AccountGone, User
from web.refusals import AnswerRefusals, Refusal, answers_json, unavailable

__all__ = ["handler400", "handler403", "handler404", "handler500"]

IN_PLACE = {"HX-Request": "true"}
JSON = {"Accept": "application/json"}

REFUSALS: dict[str, Callable[[], Refusal]] = {
    "mistaken": lambda: Refusal("That <b>can't</b> be.", code="mistaken"),
    "not_yours": lambda: Refusal("It is theirs.", code="not_yours", status=403),
    "gone": lambda: Refusal("It is gone.", code="gone", status=404),
    "method": lambda: Refusal("Not so.", code="method", status=405, headers={"Allow": "POST"}),
    "busy": lambda: Refusal("One at a time.", code="busy", status=409),
    "too_large": lambda: Refusal("Too much.", code="too_large", status=413),
    "position": lambda: Refusal("Not there.", code="position", status=416),
    "too_often": lambda: Refusal("Too fast.", code="too_often", status=429, retry_after=61.2),
    "format": lambda: Refusal("Only JSON.", code="format", status=501),
    "unavailable": lambda: unavailable("In a moment."),
}


def refuse(_request: HttpRequest, code: str) -> HttpResponse:
    raise REFUSALS[code]()


@answers_json({"Access-Control-Allow-Origin": "*"})
def refuse_in_json(_request: HttpRequest, code: str) -> HttpResponse:
    raise REFUSALS[code]()


def be_gone(_request: HttpRequest) -> HttpResponse:
    raise AccountGone


def be_invalid(_request: HttpRequest) -> HttpResponse:
    raise ValidationError({"name": "Too long.", "bio": "Too rude."})


urlpatterns = [
    path("refuse/gone_account/", be_gone),
    path("refuse/invalid/", be_invalid),
    path("refuse/<code>/", refuse),
    path("refuse_in_json/<code>/", refuse_in_json),
    path("", include("socialsite.urls")),
]

all_refusals = pytest.mark.parametrize("code", REFUSALS)
here = pytest.mark.urls(__name__)


@here
@all_refusals
def test_people_get_a_page_with_the_status_and_a_way_back(alice: User, code: str) -> None:
    refusal = REFUSALS[code]()
    answer = browser_of(alice).post(f"/refuse/{code}/", {"next": "/@bob/"})
    page = answer.content.decode()
    assert answer.status_code == refusal.status
    assert answer["Content-Type"].startswith("text/html")
    assert 'class="button" href="' in page or refusal.status == 503
    if refusal.status in (400, 403, 409, 416, 429, 501):
        assert 'href="/@bob/"' in page
    if refusal.status in (400, 403, 409, 416, 501):
        assert escape(refusal.words) in page
    has_headers(answer, refusal)


@here
@all_refusals
def test_scripts_get_the_words_alone(client: Client, db: None, code: str) -> None:
    refusal = REFUSALS[code]()
    answer = client.get(f"/refuse/{code}/", headers=IN_PLACE)
    assert (answer.status_code, answer.content.decode()) == (refusal.status, refusal.words)
    assert answer["Content-Type"] == "text/plain"
    assert answer["HX-Reswap"] == "none"
    has_headers(answer, refusal)


@here
@all_refusals
@pytest.mark.parametrize("address", ["/refuse/{}/", "/refuse_in_json/{}/"])
def test_programs_get_json(client: Client, db: None, code: str, address: str) -> None:
    refusal = REFUSALS[code]()
    answer = client.get(address.format(code), headers=JSON)
    said = {"error": refusal.words, "code": code}
    assert (answer.status_code, answer.json()) == (refusal.status, said)
    has_headers(answer, refusal)


@here
@pytest.mark.parametrize("headers", [{}, IN_PLACE, {"Accept": "text/html"}])
def test_a_view_that_answers_json_refuses_in_json(
    client: Client, db: None, headers: dict[str, str]
) -> None:
    answer = client.get("/refuse_in_json/mistaken/", headers=headers)
    assert answer.json() == {"error": "That <b>can't</b> be.", "code": "mistaken"}
    assert answer["Access-Control-Allow-Origin"] == "*"


@here
@pytest.mark.parametrize("headers", [{}, IN_PLACE])
def test_browsers_of_an_account_that_is_gone_log_in_again(
    alice: User, headers: dict[str, str]
) -> None:
    browser = browser_of(alice)
    answer = browser.get("/refuse/gone_account/", headers=headers)
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/")
    assert browser.get("/settings/").status_code == 302, "it is logged out"


@here
def test_programs_of_an_account_that_is_gone_get_json(alice: User) -> None:
    answer = browser_of(alice).get("/refuse/gone_account/", headers=JSON)
    said = {"error": "This account no longer exists.", "code": "account_gone"}
    assert (answer.status_code, answer.json()) == (401, said)


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("get", "/?max_id=x", 400),
        ("get", "/now/?statuses=x", 400),
        ("get", "/explore/?lang=1", 400),
        ("post", "/@alice/follow/", 400),
        ("post", "/statuses/{}/edit/", 403),
        ("post", "/statuses/4711/like/", 404),
        ("get", "/no/such/page/", 404),
        ("get", "/statuses/{}/like/", 405),
    ],
)
def test_what_the_site_refuses_has_its_status_in_every_way(
    alice: User, bob: User, method: str, address: str, status: int
) -> None:
    posted = post_status(author=bob, text="hello")
    browser, address = browser_of(alice), address.format(posted.pk)
    for headers in ({}, IN_PLACE, JSON):
        answer = getattr(browser, method)(address, headers=headers)
        assert answer.status_code == status, headers
        assert answer.content


@here
def test_a_wrong_value_that_no_form_shows_is_answered_too(client: Client, db: None) -> None:
    answer = client.get("/refuse/invalid/", headers=JSON)
    said = {"error": "Too long. Too rude.", "code": "invalid"}
    assert (answer.status_code, answer.json()) == (400, said)
    assert "Too long. Too rude." in client.get("/refuse/invalid/").content.decode()


def test_nothing_else_is_answered() -> None:
    middleware = AnswerRefusals(lambda _request: HttpResponse())
    assert middleware.process_exception(HttpRequest(), ZeroDivisionError()) is None


def has_headers(answer: Any, refusal: Refusal) -> None:
    assert answer.headers.items() >= refusal.headers.items()
    waits = refusal.status in (429, 503)
    assert ("Retry-After" in answer.headers) is waits
    assert {"Accept", "HX-Request"} <= set(answer["Vary"].split(", "))
