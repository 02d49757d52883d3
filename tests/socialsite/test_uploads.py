"""Anything too large, and any file, is refused before anybody reads it."""

from typing import Any, NoReturn

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.cast import browser_of
from users.models import User
from web.body_limits import LONGEST_BODY, LONGEST_UPLOAD

PROFILE = "/settings/profile/"
FORM = "application/x-www-form-urlencoded"


class Unreadable:
    def read(self, *arguments: object) -> NoReturn:
        raise AssertionError("the body was read")

    readline = read


def post_unread(client: Client, path: str = "/login/", **environ: Any) -> Any:
    environ["wsgi.input"] = Unreadable()
    return client.generic("POST", path, b"x", content_type=FORM, **environ)


@pytest.fixture
def strict_client() -> Client:
    """With a cookie, so that the token is looked for in the body."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32
    return client


def test_a_body_over_the_bound_is_a_413_page(strict_client: Client) -> None:
    answer = post_unread(strict_client, CONTENT_LENGTH=str(LONGEST_BODY + 1))
    assert answer.status_code == 413
    assert b"This is too large" in answer.content
    assert "Content-Security-Policy" in answer.headers


@pytest.mark.parametrize("path", ["/settings/privacy/", "/nowhere/"])
def test_only_pages_that_take_files_take_longer_forms(strict_client: Client, path: str) -> None:
    answer = post_unread(strict_client, path=path, CONTENT_LENGTH=str(LONGEST_BODY + 1))
    assert answer.status_code == 413


def test_theirs_are_bounded_too(strict_client: Client) -> None:
    in_parts = {"path": PROFILE, "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    answer = post_unread(strict_client, **in_parts, CONTENT_LENGTH=str(LONGEST_UPLOAD + 1))
    assert answer.status_code == 413
    with pytest.raises(AssertionError, match="the body was read"):
        post_unread(strict_client, **in_parts, CONTENT_LENGTH=str(LONGEST_UPLOAD))
    answer = post_unread(strict_client, path=PROFILE, CONTENT_LENGTH=str(LONGEST_BODY + 1))
    assert answer.status_code == 413


def test_a_body_of_unknown_length_is_refused(strict_client: Client) -> None:
    answer = post_unread(strict_client, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")
    assert answer.status_code == 411


def test_a_form_up_to_the_bound_is_read() -> None:
    form = "bio=" + "x" * (LONGEST_BODY - 4)
    answer = Client().post("/logout/", form, content_type=FORM)
    assert answer.status_code == 302


def test_a_file_is_refused_before_it_is_read(strict_client: Client) -> None:
    answer = strict_client.post("/login/", {"file": SimpleUploadedFile("a.txt", b"x" * 100_000)})
    assert answer.status_code == 400
    assert b"This page takes no files" in answer.content


def test_a_form_in_parts_is_read_if_it_has_no_file(strict_client: Client) -> None:
    answer = strict_client.post("/login/", {"username": "alice"})
    assert answer.status_code == 403
    assert b"This form has gone stale" in answer.content


@pytest.mark.parametrize(
    "head", [b"", b'Content-Disposition: form-data; filename="a"\r\n'], ids=["bare", "nameless"]
)
def test_a_form_in_very_many_parts_is_refused(strict_client: Client, head: bytes) -> None:
    """Nobody counts those without a name, but looking at them takes half a minute."""
    form = (b"--x\r\n" + head + b"\r\ny\r\n") * 2_000 + b"--x--\r\n"
    answer = strict_client.generic("POST", PROFILE, form, "multipart/form-data; boundary=x")
    assert answer.status_code == 400
    assert "Content-Security-Policy" in answer.headers


@pytest.mark.django_db
def test_a_form_with_a_picture_is_read_as_it_was_sent(alice: User) -> None:
    page = browser_of(alice).post(
        PROFILE, {"name": "Al", "new_avatar": SimpleUploadedFile("a.png", b"--x " * 5_000)}
    )
    assert page.status_code == 400
    assert b"be read as a picture" in page.content
    assert b'value="Al"' in page.content
