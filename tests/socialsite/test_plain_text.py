import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from lists.models import List
from tests.cast import browser_of
from users.models import User
from web.plain_text import printable, validate_line, validate_lines

ESCAPE, OVERRIDE = "\x1b[2J", "\u202e"


@pytest.mark.parametrize(
    "name",
    [
        "a\x1b[2Jb",
        "a\x07",
        "a\x9bb",
        "a\nb",
        "a\tb",
        "ecila\u202e",
        "\u2066alice\u2069",
        "ali\u200bce",
        "a\u2028b",
        "a\u00adb",
        "a\ufeffb",
        "a\U000e0061",
    ],
)
def test_a_name_hides_nothing_and_turns_nothing_around(name: str) -> None:
    with pytest.raises(ValidationError, match=r"The character U\+[0-9A-F]{4,6} can't be used"):
        validate_line(name)


@pytest.mark.parametrize("name", ["\u3164", "\u200d\u200c", "\ufe0f", "\u2800\u2800", "\u115f"])
def test_a_name_can_be_seen(name: str) -> None:
    with pytest.raises(ValidationError):
        validate_line(name)


@pytest.mark.parametrize(
    "name",
    [
        "Alice",
        "José e\u0301",
        "👨‍👩‍👧‍👦 ❤️ 👍🏽",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می‌خواهم",
        "क्‍ष",
        "葛\U000e0100",
        "שלום\u200f!",
        "⠓⠑⠇⠇⠕",
    ],
)
def test_scripts_and_emoji_keep_what_holds_them_together(name: str) -> None:
    validate_line(name)


def test_a_bio_has_lines() -> None:
    validate_lines("one\n\ttwo")


def test_terminals_get_neither_escapes_nor_overrides() -> None:
    assert printable(f"{ESCAPE}a\n{OVERRIDE}é👍🏽") == "�[2Ja\n�é👍🏽"


@pytest.mark.parametrize("text", [f"a{ESCAPE}", f"a{OVERRIDE}"])
@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/settings/profile/", "name"),
        ("/settings/profile/", "bio"),
        ("/lists/", "name"),
        ("/settings/tokens/", "name"),
    ],
)
def test_every_name_is_held_to_it(alice: User, address: str, field: str, text: str) -> None:
    answer = browser_of(alice).post(address, {field: text})
    assert answer.status_code == 400
    assert "can&#x27;t be used here" in answer.content.decode()
    alice.refresh_from_db()
    assert (alice.name, alice.bio) == ("Alice Liddell", "")
    assert not List.objects.exists()


@pytest.mark.django_db
def test_a_sign_up_with_an_invisible_name_is_refused(client: Client) -> None:
    form = {"username": "eve", "email": "e@example.com", "password": "seven green bottles"}
    answer = client.post("/signup/", form | {"name": "\u3164"})
    assert answer.status_code == 400
    assert not User.objects.exists()
