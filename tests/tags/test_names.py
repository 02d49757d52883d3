"""All spellings of a tag are one tag."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statuses.words.entities import find_entities
from tags.names import MAX_LENGTH, fold


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("tea", "tea"),
        ("Tea", "tea"),
        ("\uff34\uff25\uff21", "tea"),
        ("2nd", "2nd"),
        ("under_score", "under_score"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("cafe\u0301", "caf\u00e9"),
        ("日本語", "日本語"),
        ("ﾃｨｰ", "ティー"),
        ("ΌΣΟΣ", "όσοσ"),
        ("όσος", "όσοσ"),
        ("नमस्ते", "नमस्ते"),
        ("ﷺ", "صلىاللهعليهوسلم"),
    ],
)
def test_case_and_width_do_not_matter(written: str, name: str) -> None:
    assert fold(written) == name


@pytest.mark.parametrize(
    "text", ["", "1", "2026", "_", "a b", "#tea", "a-b", "tea!", "a/b", "é.x", "\u0301", "ﹰ"]
)
def test_what_can_not_be_a_tag_has_no_name(text: str) -> None:
    assert fold(text) == ""


@pytest.mark.parametrize("letter", ["a", "é", "茶"])
def test_a_tag_has_an_end(letter: str) -> None:
    assert fold(letter * MAX_LENGTH) == letter * MAX_LENGTH
    assert fold(letter * (MAX_LENGTH + 1)) == ""


def test_a_name_that_gets_too_long_is_none() -> None:
    """The column has no room for it."""
    assert fold("ß" * MAX_LENGTH) == ""
    assert fold("ﷺ" * MAX_LENGTH) == ""


@given(st.text(min_size=1, max_size=20))
@example("a\u037a")
@example("\u0390\u0345a")
def test_a_name_is_its_own_name(text: str) -> None:
    """So an address that was folded once leads nowhere else."""
    if name := fold(text):
        assert fold(name) == name
        assert len(name) <= MAX_LENGTH


@given(st.text(max_size=30).map(lambda text: f"#{text}"))
@example("#" + "a" * (MAX_LENGTH + 1))
@example("#ﹰ")
def test_every_hashtag_in_a_text_has_a_name(text: str) -> None:
    assert all(fold(it.value) for it in find_entities(text) if it.kind == "hashtag")
