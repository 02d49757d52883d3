"""Pages of the site as a whole."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings as site
from django.test import Client
from pytest_django import Settings

from redistools.client import get_binary_client, get_client
from tests.running_site import site_environment, temporary_folder


@pytest.fixture
def redis_is_away(settings: Settings) -> Iterator[None]:
    """The process's clients are made anew, for a port where nothing listens."""
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    for kept in (get_client, get_binary_client):
        kept.cache_clear()
    yield
    for kept in (get_client, get_binary_client):
        kept.cache_clear()


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


def test_robots_may_read_what_is_public(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert answer["Content-Type"] == "text/plain"
    assert b"Disallow: /admin/" in answer.content


def test_the_favicon_is_found_where_browsers_look(client: Client) -> None:
    assert client.get("/favicon.ico")["Location"].endswith("favicon.svg")


def test_pages_run_no_foreign_scripts(client: Client) -> None:
    assert "default-src 'self'" in client.get("/")["Content-Security-Policy"]


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
