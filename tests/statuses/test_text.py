import unicodedata

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from configuration.site import Site
from statuses.words.text import MAX_CODE_POINTS, clean, length

FAMILY = "👨‍👩‍👧‍👦"


def error_code(text: str) -> str | None:
    with pytest.raises(ValidationError) as refused:
        clean(text)
    return refused.value.code


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("", 0),
        ("hello", 5),
        ("🇩🇪", 1),
        ("🇩🇪🇫🇷", 2),
        (FAMILY, 1),
        ("👍🏽", 1),
        ("❤️", 1),
        ("e\u0301", 1),
        ("Z\u0351\u036b\u0343", 1),
        ("각", 1),
        ("\u1100\u1161\u11a8", 1),
        ("日本語", 3),
        ("a\nb", 3),
    ],
)
def test_characters_are_counted_as_people_count_them(text: str, characters: int) -> None:
    assert length(text) == characters


@pytest.mark.parametrize("character", ["x", "é", "🇩🇪", FAMILY])
def test_500_characters_are_enough_and_one_more_is_too_long(character: str) -> None:
    assert clean(character * Site.longest_post) == character * Site.longest_post
    assert error_code(character * (Site.longest_post + 1)) == "too_long"


def test_white_space_around_the_text_does_not_count() -> None:
    assert clean(f"\n {'x' * Site.longest_post}\t \n") == "x" * Site.longest_post


def test_an_error_says_how_long_the_text_is() -> None:
    with pytest.raises(ValidationError, match="1 character too long: a post has at most 500"):
        clean("x" * 501)


def test_few_characters_of_very_many_code_points_are_too_long() -> None:
    piled = "a" + "\u0332" * MAX_CODE_POINTS
    assert length(piled) == 1
    assert error_code(piled) == "too_long"


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t", "\r\n", "\u00a0", "\u2003", "\u2028"])
def test_a_blank_text_is_refused(text: str) -> None:
    assert error_code(text) == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "\u200b",  # zero width space
        "\u200d",  # joiner
        "\u00ad",  # soft hyphen
        "\ufeff",  # byte order mark
        "\ufe0f",  # variation selector
        "\u034f",  # grapheme joiner
        "\u3164",  # Hangul filler
        "\u2800",  # Braille without a dot
        "\u202e\u202c",  # directions
        "\u200b \u3164\n\ufe0f",
    ],
)
def test_a_text_that_shows_nothing_is_refused(text: str) -> None:
    assert error_code(text) == "empty"


def test_invisible_characters_inside_a_text_are_kept() -> None:
    text = f"{FAMILY} \u0645\u06cc\u200c\u0631\u0648\u0645"  # with a joiner and a non-joiner
    assert clean(text) == text


@pytest.mark.parametrize("character", ["\x00", "\x08", "\x0b", "\x1b", "\x7f", "\x85", "\ud800"])
@pytest.mark.parametrize("text", ["a{}b", "{}a", "a{}"])
def test_control_characters_are_refused_and_named(text: str, character: str) -> None:
    with pytest.raises(ValidationError, match=rf"U\+{ord(character):04X}") as refused:
        clean(text.format(character))
    assert refused.value.code == "control_character"


def test_tabs_and_new_lines_are_no_control_characters_to_refuse() -> None:
    assert clean("a\tb\nc") == "a\tb\nc"


@pytest.mark.parametrize("new_line", ["\n", "\r\n", "\r"])
def test_every_kind_of_new_line_becomes_one(new_line: str) -> None:
    assert clean(f"a{new_line}b") == "a\nb"


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("a\n\nb", "a\n\nb"),
        ("a\n\n\nb", "a\n\nb"),
        ("a\r\n\r\n\r\n\r\nb", "a\n\nb"),
        ("a\n \n\t\n\n  b", "a\n\n  b"),
        ("a\n\n\nb\n\n\n\nc", "a\n\nb\n\nc"),
    ],
)
def test_several_blank_lines_become_one(text: str, stored: str) -> None:
    assert clean(text) == stored


def test_the_text_is_stored_composed() -> None:
    assert clean("cafe\u0301") == "café"


@given(st.text(max_size=600))
def test_what_is_stored_would_be_stored_the_same_again(text: str) -> None:
    try:
        stored = clean(text)
    except ValidationError:
        return
    assert clean(stored) == stored == unicodedata.normalize("NFC", stored)
    assert 1 <= length(stored) <= Site.longest_post
