"""Anything too large, and any file, is refused before anybody reads it."""

from typing import Any, NoReturn

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from socialsite.server.arriving_request import LONGEST_BODY

FORM = "application/x-www-form-urlencoded"


class Unreadable:
    def read(self, *arguments: object) -> NoReturn:
        raise AssertionError("the body was read")

    readline = read


def post_unread(client: Client, **environ: Any) -> Any:
    environ["wsgi.input"] = Unreadable()
    return client.generic("POST", "/login/", b"x", content_type=FORM, **environ)


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
