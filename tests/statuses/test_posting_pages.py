"""Posting through the pages."""

import re

import pytest
from django.test import Client

from statuses.models import Status
from tests.cast import browser_of, clicks
from users import throttling
from users.models import User


def form_key(page: str) -> str:
    found = re.search(r'name="idempotency_key" value="(\w+)"', page)
    assert found
    return found[1]


def test_a_status_is_posted_and_the_author_goes_back(alice: User) -> None:
    answer = browser_of(alice).post("/statuses/", {"text": " hello \r\nworld ", "next": "/@alice/"})
    assert (answer.status_code, answer["Location"]) == (302, "/@alice/")
    status = Status.objects.get()
    assert (status.author, status.text) == (alice, "hello \nworld")


@pytest.mark.parametrize(
    "elsewhere", ["", "https://evil.example/", "//evil.example", "javascript:x"]
)
def test_one_goes_home_rather_than_to_another_site(alice: User, elsewhere: str) -> None:
    answer = browser_of(alice).post("/statuses/", {"text": "hello", "next": elsewhere})
    assert answer["Location"] == "/"


def test_place_and_language_can_be_given(alice: User) -> None:
    fields = {"text": "olá", "latitude": "38.7", "longitude": "-9.1", "language": "pt-BR"}
    browser_of(alice).post("/statuses/", fields)
    status = Status.objects.get()
    assert (status.latitude, status.longitude, status.language) == (38.7, -9.1, "pt-BR")
    assert b'lang="pt-BR"' in browser_of(alice).get("/").content


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"text": ""}, "Write something first."),
        ({"text": " \n "}, "Write something first."),
        ({"text": "\u200b"}, "Write something first."),
        ({"text": "x" * 501}, "1 character too long: a post has at most 500"),
        ({"text": "bell \x07"}, "control character U+0007"),
        ({"text": "null \x00"}, "Null characters are not allowed."),
        ({"text": "a", "latitude": "91", "longitude": "0"}, "Latitude: "),
        ({"text": "a", "latitude": "0", "longitude": "-181"}, "Longitude: "),
        ({"text": "a", "latitude": "nan", "longitude": "0"}, "Latitude: Enter a number."),
        ({"text": "a", "latitude": "north", "longitude": "0"}, "Latitude: Enter a number."),
        ({"text": "a", "latitude": "1"}, "Give both latitude"),
        ({"text": "a", "language": "klingonese!"}, "A language is a code"),
        ({"text": "a", "idempotency_key": "k" * 65}, "Idempotency key: "),
    ],
)
def test_what_is_refused_is_told_and_not_stored(
    alice: User, fields: dict[str, str], complaint: str
) -> None:
    answer = browser_of(alice).post("/statuses/", fields)
    assert answer.status_code == 400
    assert complaint in answer.content.decode()
    assert not Status.objects.exists()


def test_a_refused_text_stays_in_the_form(alice: User) -> None:
    text = "</textarea><script>alert(1)</script>" + "x" * 500
    page = browser_of(alice).post("/statuses/", {"text": text, "next": "/@alice/"}).content.decode()
    assert "&lt;/textarea&gt;&lt;script&gt;alert(1)&lt;/script&gt;xxx" in page
    assert "<script>alert" not in page
    assert 'name="next" value="/@alice/"' in page


def test_every_form_has_a_key_of_its_own(alice: User) -> None:
    browser = browser_of(alice)
    keys = {form_key(browser.get("/").content.decode()) for _ in range(2)}
    assert len(keys) == 2


def test_a_double_click_posts_once(alice: User) -> None:
    browsers = [browser_of(alice) for _ in range(4)]
    key = form_key(browsers[0].get("/").content.decode())
    fields = {"text": "hello", "idempotency_key": key}
    assert clicks(browsers, "/statuses/", fields) == [302] * 4
    assert Status.objects.count() == 1


def test_another_text_in_the_same_form_is_another_status(alice: User) -> None:
    browser = browser_of(alice)
    for text in ("one", "two"):
        browser.post("/statuses/", {"text": text, "idempotency_key": "same"})
    assert Status.objects.count() == 2


def test_who_posts_too_often_has_to_wait(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(throttling.PACES, "post", throttling.Pace(2))
    browser = browser_of(alice)
    for text in ("one", "", "two"):  # the refused one does not count
        browser.post("/statuses/", {"text": text})
    answer = browser.post("/statuses/", {"text": "three", "next": "/@alice/"})
    assert answer.status_code == 429
    assert 3_500 < int(answer["Retry-After"]) <= 3_600
    assert "You&#x27;re posting too fast." in answer.content.decode()
    assert b">\nthree</textarea>" in answer.content, "what was typed is still there"
    assert b'name="next" value="/@alice/"' in answer.content
    assert Status.objects.count() == 2


def test_visitors_log_in_and_come_back_to_the_page_with_the_form(client: Client, db: None) -> None:
    answer = client.post("/statuses/", {"text": "hello", "next": "/@alice/"})
    assert answer["Location"] == "/login/?next=/%40alice/"
    assert not Status.objects.exists()


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_posting_takes_a_post(alice: User, method: str) -> None:
    assert getattr(browser_of(alice), method)("/statuses/").status_code == 405
