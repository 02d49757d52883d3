"""The language of a post: what the form says, or else the browser."""

import pytest
from django.test import RequestFactory

from statuses.models import Status
from statuses.words.languages import accepted, shortened
from tests.cast import browser_of
from users.models import User
from web.languages import accepted_by

HEADERS = {
    "en": "en",
    "en-US,en;q=0.9,de;q=0.8": "en",
    "de;q=0.5, fr;q=0.9": "fr",
    "pt-BR": "pt-BR",
    "PT-br, en": "pt-BR",
    "pt-PT": "pt",
    "zh-TW": "zh-TW",
    "zh-Hans-CN": "zh",
    "gsw": "gsw",
    "*": "",
    "*, es;q=0.5": "es",
    "": "",
    "klingonese": "",
    "klingon, es": "es",
    "de; drop table": "",
    "x" * 10_000: "",
    "en" + "-abcdefgh" * 20: "en",
    "é": "",
}


@pytest.mark.parametrize(("header", "language"), HEADERS.items())
def test_the_browser_says_the_language(header: str, language: str) -> None:
    request = RequestFactory().get("/", headers={"accept-language": header})
    assert accepted(accepted_by(request)) == language


def test_a_browser_need_not_say_it() -> None:
    assert accepted(accepted_by(RequestFactory().get("/"))) == ""


@pytest.mark.parametrize(
    ("code", "short"),
    {"en-GB": "en", "pt-BR": "pt-BR", "en": "en", "": "", "no language": "no language"}.items(),
)
def test_codes_are_shortened(code: str, short: str) -> None:
    assert shortened(code) == short


@pytest.mark.parametrize(
    ("fields", "language"),
    [
        ({}, "de"),
        ({"language": ""}, "de"),
        ({"language": "fr"}, "fr"),
        ({"language": "en-GB"}, "en"),
    ],
)
def test_the_form_comes_before_the_browser(
    alice: User, fields: dict[str, str], language: str
) -> None:
    headers = {"accept-language": "de-AT,en;q=0.5"}
    answer = browser_of(alice).post("/statuses/", {"text": "hello", **fields}, headers=headers)
    assert answer.status_code == 302
    assert Status.objects.get().language == language


def test_what_is_no_language_is_refused_whatever_the_browser_says(alice: User) -> None:
    fields = {"text": "hello", "language": "klingonese!"}
    answer = browser_of(alice).post("/statuses/", fields, headers={"accept-language": "de"})
    assert answer.status_code == 400
    assert not Status.objects.exists()
