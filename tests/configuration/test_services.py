"""Only administrators change the settings of the site; bad values change nothing."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from pytest_django import Settings

from configuration.current import in_sql, observer, site
from configuration.services import change_settings
from configuration.site import DECLARED, DEFAULTS, Site
from taskqueue.drain import drain
from tests.cast import make_user
from tests.configuration.conftest import Change
from tests.races import in_threads
from users.models import User


def test_only_what_is_different_is_changed(root: User) -> None:
    assert change_settings(by=root, name="Larkspur", edit_minutes=60) == ["name"]
    assert change_settings(by=root, name="Larkspur") == []
    assert in_sql() == {"name": "Larkspur"}


def test_a_value_can_go_back_to_its_default(change: Change) -> None:
    change(longest_post=1_000)
    change(longest_post=Site.longest_post)
    assert site().longest_post == Site.longest_post


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("name", "", "required"),
        ("name", " ", "required"),
        ("name", "x" * 51, "at most 50"),
        ("name", "Two\nlines", "one line"),
        ("name", "Bcc:\r\nroot@example.com", "one line"),
        ("name", "\u202eevil", "control characters"),
        ("name", "\u200b", "control characters"),
        ("announcement", "Pay \u2066here", "control character"),
        ("posts_per_hour", 0, "greater than or equal to 1"),
        ("follows_per_day", 1_001, "less than or equal to 1000"),
        ("accent", "red", "#4f4fc4"),
        ("accent", "#ff8800", "2.39 to 1"),
        ("contact", "nowhere", "valid e-mail address"),
        ("rules", "a\0b", "control character"),
        ("rules", "x" * 20_001, "at most 20000"),
        ("sign_up", "perhaps", "not one of the available choices"),
        ("sign_ups_per_hour", 0, "greater than or equal to 1"),
        ("longest_post", 99, "greater than or equal to 100"),
        ("longest_post", 2_001, "less than or equal to 2000"),
        ("longest_post", "many", "whole number"),
        ("edit_minutes", -1, "greater than or equal to 0"),
        ("announcement", "x" * 501, "at most 500"),
    ],
)
def test_a_bad_value_is_refused_and_nothing_is_changed(
    root: User, name: str, value: Any, words: str
) -> None:
    others = {"description": "A place.", name: value}
    with pytest.raises(ValidationError) as refused:
        change_settings(by=root, **others)
    assert refused.value.message_dict.keys() == {name}
    assert words in refused.value.messages[0]
    assert in_sql() == {}
    assert site() == Site()


def test_there_is_no_other_setting(root: User) -> None:
    with pytest.raises(ValidationError, match="no setting 'secret_key'"):
        change_settings(by=root, secret_key="x")


def test_what_the_environment_says_is_not_changed(root: User, settings: Settings) -> None:
    settings.SITE_NAME = "Operated"
    with pytest.raises(ValidationError, match="SITE_NAME is set in the environment"):
        change_settings(by=root, name="Larkspur")
    assert site().name == "Operated"


@pytest.mark.parametrize("is_staff", [False, True])
def test_only_administrators_change_settings(transactional_db: None, is_staff: bool) -> None:
    with pytest.raises(PermissionDenied):
        change_settings(by=make_user("mallory", is_staff=is_staff), name="Mine")
    assert site() == Site()


def test_two_who_change_different_settings_at_once_both_do(root: User) -> None:
    merged = {"name": "Larkspur", "edit_minutes": 5, "longest_post": 300, "rules": "Tea."}
    wanted: list[dict[str, Any]] = [{name: value} for name, value in merged.items()]
    left = list(wanted)
    in_threads(len(wanted), lambda: change_settings(by=root, **left.pop()))
    drain()
    assert in_sql() == merged
    observer.ask_again()
    assert site() == Site.of(merged)


def test_every_default_is_valid() -> None:
    for name, declared in DECLARED.items():
        assert declared.field.clean(DEFAULTS[name]) == DEFAULTS[name], name
