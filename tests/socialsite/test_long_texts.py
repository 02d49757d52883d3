"""Normalising is quadratic in combining marks and stops every thread of the process."""

import unicodedata
from typing import Literal

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from lists.models import List
from statuses.models import Status
from statuses.words.text import clean
from streaming.asked.parameters import read_filter
from tests.cast import browser_of, make_user
from users.models import User
from users.services import sign_up
from web.refusals import Refusal

# 0.8 MB, and half a minute of work for whatever normalises it.
MARKS = "a" + "\u0316\u0301" * 200_000
# No stored text is longer.
LONGEST_TEXT = 4_000

PASSWORD = "seven green bottles"


@pytest.fixture
def normalised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Records the lengths of the texts to normalise, and skips the long ones."""
    lengths: list[int] = []
    normalize = unicodedata.normalize

    def measured(form: Literal["NFC", "NFKC"], text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text) if len(text) <= LONGEST_TEXT else text

    monkeypatch.setattr(unicodedata, "normalize", measured)
    return lengths


@pytest.fixture
def browser(transactional_db: None) -> Client:
    alice = make_user("alice", is_staff=True, is_superuser=True)
    List.objects.create(pk=1, owner=alice, name="Friends")
    return browser_of(alice)


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/statuses/", {"text": MARKS}),
        ("/statuses/", {"text": "hello", "language": MARKS}),
        ("/statuses/", {"text": "hello", "idempotency_key": MARKS}),
        ("/settings/profile/", {"name": MARKS, "bio": ""}),
        ("/settings/profile/", {"name": "Alice", "bio": MARKS}),
        (
            "/settings/password/",
            {"old_password": MARKS, "new_password1": "x", "new_password2": "x"},
        ),
        ("/settings/delete/", {"password": MARKS}),
        ("/settings/email/", {"email": f"{MARKS}@example.com", "password": "x"}),
        ("/settings/email/", {"email": "a@example.com", "password": MARKS}),
        ("/settings/two-factor/", {"password": MARKS}),
        ("/settings/two-factor/off/", {"password": MARKS}),
        ("/settings/tokens/", {"name": MARKS}),
        ("/lists/", {"name": MARKS}),
        ("/lists/1/edit/", {"name": MARKS}),
        ("/lists/1/members/add/", {"username": MARKS}),
    ],
)
def test_a_member_who_sends_far_too_much_is_refused_at_once(
    browser: Client, normalised: list[int], address: str, fields: dict[str, str]
) -> None:
    answer = browser.post(address, fields)
    assert_refused(answer.status_code, answer.content.decode(), normalised)
    assert not Status.objects.exists()
    assert User.objects.get().name == ""


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/login/", {"username": MARKS, "password": PASSWORD}),
        ("/login/", {"username": "alice", "password": MARKS}),
        ("/password-reset/", {"email": f"{MARKS}@example.com"}),
        ("/password-reset/", {"email": f"alice@{MARKS}.example"}),
    ]
    + [
        ("/signup/", {"username": "bob", "email": "b@example.com", "password": PASSWORD} | wrong)
        for wrong in (
            {"username": MARKS},
            {"name": MARKS},
            {"email": f"{MARKS}@example.com"},
            {"password": MARKS},
        )
    ],
)
def test_a_visitor_who_sends_far_too_much_is_refused_at_once(
    client: Client, db: None, normalised: list[int], address: str, fields: dict[str, str]
) -> None:
    answer = client.post(address, fields)
    assert_refused(answer.status_code, answer.content.decode(), normalised)
    assert not User.objects.exists()


def assert_refused(code: int, said: str, normalised: list[int]) -> None:
    assert code == 400
    assert any(clue in said for clue in ("at most", "valid e-mail"))
    assert max(normalised, default=0) <= LONGEST_TEXT


def test_an_endless_address_to_go_on_to_is_not_looked_at(
    browser: Client, normalised: list[int]
) -> None:
    answer = browser.post("/statuses/", {"text": "hello", "next": f"//{MARKS}/"})
    assert answer["Location"] == "/"
    assert max(normalised) <= LONGEST_TEXT


def test_an_endless_phrase_is_not_looked_at(normalised: list[int]) -> None:
    with pytest.raises(Refusal, match="60 are allowed"):
        read_filter({"track": MARKS})
    assert not normalised


@pytest.mark.django_db
def test_services_refuse_far_too_much_at_once(normalised: list[int]) -> None:
    with pytest.raises(ValidationError, match="at most 500 characters"):
        clean(MARKS)
    with pytest.raises(ValidationError, match="at most 30 characters"):
        sign_up(username=MARKS, email="a@example.com", password=PASSWORD)
    assert max(normalised, default=0) <= LONGEST_TEXT
