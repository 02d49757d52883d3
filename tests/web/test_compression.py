import gzip

import pytest
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.test import Client, RequestFactory

from tests.cast import browser_of
from users.models import User
from web.pages.compression import MOST_PADDING, compressed, gzipped

TEXT = "hello, everybody. " * 100


def answer_to(response: HttpResponseBase, accepted: str = "gzip, deflate, br") -> HttpResponse:
    request = RequestFactory().get("/", headers={"accept-encoding": accepted})
    return compressed(lambda _request: response)(request)  # type: ignore[arg-type,return-value] # streams too


def test_a_page_of_a_member_leaves_compressed(alice: User) -> None:
    browser = browser_of(alice)
    plain = browser.get("/")
    packed = browser.get("/", headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert "Accept-Encoding" in plain["Vary"]
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content) / 2
    assert gzip.decompress(packed.content).startswith(b"<!doctype html>")
    head = browser.head("/", headers={"accept-encoding": "gzip"})
    assert head.content == b""
    assert head["Content-Encoding"] == "gzip"


def test_error_pages_are_compressed_too() -> None:
    page = Client().get("/no/such/page/", headers={"accept-encoding": "gzip"})
    assert (page.status_code, page["Content-Encoding"]) == (404, "gzip")


def test_the_length_of_a_page_varies() -> None:
    """Or it would tell whether two parts of a page are alike (BREACH)."""
    lengths = {len(answer_to(HttpResponse(TEXT)).content) for _ in range(50)}
    assert len(lengths) > 5
    assert max(lengths) - min(lengths) < MOST_PADDING


@pytest.mark.parametrize("content", [b"", b"a", TEXT.encode(), bytes(range(256)) * 300])
def test_what_was_compressed_can_be_read(content: bytes) -> None:
    assert gzip.decompress(gzipped(content, padding=7)) == content


@pytest.mark.parametrize(
    "kind", ["text/html; charset=utf-8", "application/json", "application/rss+xml", "text/css"]
)
def test_all_kinds_of_text_are_compressed(kind: str) -> None:
    assert answer_to(HttpResponse(TEXT, content_type=kind)).headers["Content-Encoding"] == "gzip"


@pytest.mark.parametrize(
    "response",
    [
        HttpResponse("short"),
        HttpResponse(TEXT, content_type="image/png"),
        HttpResponse(TEXT, content_type="application/zip"),
        HttpResponse(TEXT, headers={"Content-Encoding": "br"}),
        StreamingHttpResponse([TEXT]),
        StreamingHttpResponse([TEXT], content_type="text/event-stream"),
    ],
)
def test_what_gets_no_smaller_or_has_to_leave_at_once_is_left_alone(
    response: HttpResponseBase,
) -> None:
    before = response.headers.get("Content-Encoding")
    assert answer_to(response).headers.get("Content-Encoding") == before


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "deflate, gzip; q=0.0, br"])
def test_clients_that_cant_read_it_get_it_as_it_is(accepted: str) -> None:
    assert answer_to(HttpResponse(TEXT), accepted).content == TEXT.encode()


def test_an_etag_stands_for_the_page_not_for_its_bytes() -> None:
    answer = answer_to(HttpResponse(TEXT, headers={"ETag": '"abc"'}))
    assert answer.headers["ETag"] == 'W/"abc"'
