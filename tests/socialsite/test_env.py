from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from socialsite import env

NAME = "SOCIALSITE_TEST_VALUE"


@pytest.fixture(autouse=True)
def forget_the_name() -> Any:
    yield
    env.declared.discard(NAME)


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (lambda: env.text(NAME, "x"), None, "x"),
        (lambda: env.text(NAME, "x"), "", "x"),
        (lambda: env.text(NAME, "x"), "y", "y"),
        (lambda: env.integer(NAME, 3, minimum=1, maximum=9), None, 3),
        (lambda: env.integer(NAME, 3, minimum=1, maximum=9), "9", 9),
        (lambda: env.boolean(NAME, True), None, True),
        (lambda: env.boolean(NAME, True), "off", False),
        (lambda: env.boolean(NAME, False), "Yes", True),
        (lambda: env.words(NAME, ["a"]), None, ["a"]),
        (lambda: env.words(NAME, ["a"]), "b, c,", ["b", "c"]),
        (lambda: env.choice(NAME, "a", ("a", "b")), "b", "b"),
        (lambda: env.networks(NAME, ["::1"]), None, [ip_network("::1")]),
        (
            lambda: env.networks(NAME, []),
            "10.0.0.7, 10.1.0.0/16",
            [ip_network("10.0.0.7"), ip_network("10.1.0.0/16")],
        ),
        (lambda: env.networks(NAME, []), "*", [ip_network("0.0.0.0/0"), ip_network("::/0")]),
        (lambda: env.web_address(NAME, "http://x"), "https://s.example/", "https://s.example"),
    ],
)
def test_a_good_value_is_read(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], value: str | None, expected: object
) -> None:
    if value is not None:
        monkeypatch.setenv(NAME, value)
    assert read() == expected


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (
            lambda: env.integer(NAME, 3, minimum=1, maximum=9),
            "ten",
            "a number from 1 to 9, got 'ten'",
        ),
        (
            lambda: env.integer(NAME, 3, minimum=1, maximum=9),
            "10",
            "a number from 1 to 9, got '10'",
        ),
        (lambda: env.boolean(NAME, True), "maybe", "1 or 0, got 'maybe'"),
        (lambda: env.choice(NAME, "a", ("a", "b")), "c", "one of a, b, got 'c'"),
        (lambda: env.networks(NAME, []), "proxy", "or networks like 10.0.0.7, 10.1.0.0/16"),
        (lambda: env.networks(NAME, []), "10.0.0.1/8", "got '10.0.0.1/8'"),
        (
            lambda: env.web_address(NAME, "http://x"),
            "s.example",
            "look like https://social.example",
        ),
        (lambda: env.web_address(NAME, "http://x"), "https://s.example/path", "look like https://"),
    ],
)
def test_a_bad_value_says_what_would_be_right(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], value: str, message: str
) -> None:
    monkeypatch.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=f"^{NAME} must .*{message}"):
        read()


@pytest.mark.parametrize("page", ["docs/settings.md", ".env.example"])
def test_every_setting_is_documented(page: str) -> None:
    text = (Path(settings.BASE_DIR) / page).read_text()
    assert env.declared, "the settings have been read"
    assert [
        name for name in sorted(env.declared) if f"{name}=" not in text and f"`{name}`" not in text
    ] == []


def test_no_documented_setting_is_made_up() -> None:
    lines = (Path(settings.BASE_DIR) / ".env.example").read_text().splitlines()
    named = {line.lstrip("# ").split("=")[0] for line in lines if "=" in line}
    assert named - env.declared == set()


def test_sqlite_is_used_in_the_same_way_wherever_its_file_is() -> None:
    ours = {"ENGINE": "socialsite.sqlite", "NAME": "var/own", "OPTIONS": {"timeout": 20}}
    assert env.database("DATABASE_URL", None, sqlite=ours) == ours
    elsewhere = env.database("DATABASE_URL", "sqlite:////srv/site", sqlite=ours)
    assert elsewhere == ours | {"NAME": "/srv/site"}
