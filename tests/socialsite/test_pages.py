"""Pages of the site as a whole."""

import io
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from wsgiref.util import setup_testing_defaults

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from lists.models import List
from socialsite.wsgi import application
from tests.cast import browser_of
from tests.running_site import site_environment, temporary_folder
from users.models import User


@pytest.fixture
def redis_is_away(settings: Settings) -> None:
    """Nothing listens there."""
    settings.REDIS_URL = "redis://127.0.0.1:1/0"


@pytest.mark.django_db
def test_healthz_is_well(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "sql": "ok", "redis": "ok"}


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_is_away")
def test_healthz_names_the_store_that_is_away(client: Client) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 503
    assert json.loads(answer.content) == {
        "status": "unavailable",
        "sql": "ok",
        "redis": "does not answer",
    }


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_is_away")
def test_a_store_that_is_away_is_a_kind_503() -> None:
    client = Client(raise_request_exception=False)
    answer = client.post("/login/", {"username": "alice", "password": "x"})
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert b"Back in a moment" in answer.content


@pytest.mark.django_db
def test_a_visitor_sees_what_the_site_is_about(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert b"Create an account" in answer.content


def test_an_unknown_address_is_a_404_page(client: Client) -> None:
    answer = client.get("/no/such/page/")
    assert answer.status_code == 404
    assert b"There is nothing here" in answer.content


def test_a_form_without_its_token_is_a_403_page() -> None:
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "alice"})
    assert answer.status_code == 403
    assert b"This form has gone stale" in answer.content


@pytest.mark.django_db  # Django looks after its connection before each request
def test_a_head_request_is_answered_without_a_body() -> None:
    """The server would log a warning for each body that it drops."""

    def answer(method: str) -> tuple[int, str]:
        environ = {"REQUEST_METHOD": method, "PATH_INFO": "/robots.txt", "HTTP_HOST": "localhost"}
        setup_testing_defaults(environ)
        headers: dict[str, str] = {}

        def start_response(
            status: str, found: list[tuple[str, str]], exc_info: object = None, /
        ) -> Callable[[bytes], object]:
            headers.update(found)
            return len

        body = application(environ, start_response)
        return sum(map(len, body)), headers["Content-Length"]

    size, length = answer("GET")
    assert length == str(size)
    assert answer("HEAD") == (0, length)


@pytest.mark.parametrize("address", ["/statuses/", "/@alice/follow/", "/lists/1/members/add/"])
def test_an_address_of_a_button_is_a_405_page(client: Client, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert b"belongs to a button on another page" in answer.content


@pytest.mark.parametrize("address", ["/", "/explore/", "/@alice/", "/settings/", "/lists/", "/no/"])
def test_what_is_for_one_person_is_for_no_shared_cache(alice: User, address: str) -> None:
    answer = browser_of(alice).get(address)
    assert "private" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]


def test_a_form_with_a_token_is_for_no_shared_cache(client: Client, db: None) -> None:
    for _ in range(2):  # the first time the cookie is set, the second time it is there
        assert "private" in client.get("/login/")["Cache-Control"]
        assert "private" in client.get("/password-reset/")["Cache-Control"]


@pytest.mark.parametrize("address", ["/", "/explore/", "/@alice/", "/robots.txt"])
def test_public_pages_for_visitors_may_be_cached(client: Client, alice: User, address: str) -> None:
    """If they ask whether it is still the same: what is deleted must be gone at once."""
    assert client.get(address).get("Cache-Control", "no-cache") == "no-cache"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the site prints."""
    [handler] = [it for it in logging.getLogger().handlers if it.formatter and it.filters]
    assert isinstance(handler, logging.StreamHandler)
    log = io.StringIO()
    stderr = handler.setStream(log)
    yield log
    handler.setStream(stderr)


def test_nobody_floods_the_log_with_bad_requests(
    log: io.StringIO, alice: User, carol: User
) -> None:
    other = List.objects.create(owner=carol, name="Hers")
    browser = browser_of(alice)
    assert browser.get("/no/such/page/").status_code == 404
    assert browser.post("/statuses/", {"text": ""}).status_code == 400
    assert browser.get("/explore/newest/?max_id=x").status_code == 400
    assert browser.get("/statuses/").status_code == 405
    assert log.getvalue() == ""
    assert browser.post(f"/lists/{other.pk}/edit/", {"name": "Mine"}).status_code == 403
    assert Client(enforce_csrf_checks=True).post("/login/").status_code == 403
    assert Client().get("/", headers={"host": "evil.example"}).status_code == 400
    assert len(log.getvalue().splitlines()) == 3


def test_a_fault_of_ours_is_logged_in_full(
    log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("socialsite.views.check_stores", broken)
    assert Client(raise_request_exception=False).get("/healthz").status_code == 500
    assert "Traceback" in log.getvalue()
    assert "ZeroDivisionError" in log.getvalue()


def test_robots_may_read_what_is_public(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain"
    assert b"Disallow: /admin/" in answer.content


def test_the_favicon_is_found_where_browsers_look(client: Client) -> None:
    assert client.get("/favicon.ico")["Location"].endswith("favicon.svg")


def test_pages_run_no_foreign_scripts(client: Client) -> None:
    assert "default-src 'self'" in client.get("/no/")["Content-Security-Policy"]


@pytest.mark.parametrize(
    "environment",
    [{}, {"SITE_URL": "https://social.example"}],
    ids=["on loopback", "with https"],
)
def test_the_deployment_check_is_clean(environment: dict[str, str]) -> None:
    assert _deployment_check(environment) == (0, "")


def test_a_public_site_without_https_is_warned() -> None:
    code, errors = _deployment_check({"ALLOWED_HOSTS": "social.example"})
    assert code == 1
    assert "security.W008" in errors


def _deployment_check(environment: dict[str, str]) -> tuple[int, str]:
    with temporary_folder() as folder:
        run = subprocess.run(
            [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
            cwd=site.BASE_DIR,
            env=site_environment(folder, **environment),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    return run.returncode, run.stderr
