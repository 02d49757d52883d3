"""The words by which people are found."""

import pytest

from users.names.folding import UNSPACED_TERM, terms_of, words_in_bio, words_of
from web.plain_text import plain


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Łukasz MÜLLER", "lukasz muller"),
        ("Åsa Bjørn", "asa bjorn"),
        ("Straße", "strasse"),
        ("\uff37\uff49\uff44\uff45", "wide"),
        ("Ἀθήνα", "αθηνα"),
        ("İstanbul", "istanbul"),
        ("がぎ", "がぎ"),
        ("김하나", "김하나"),
        ("नमस्ते", "नमस्ते"),
    ],
)
def test_case_accents_and_width_do_not_matter(written: str, folded: str) -> None:
    assert plain(written) == folded
    assert plain(folded) == folded


def test_every_word_of_a_name_and_every_part_of_a_username_counts() -> None:
    words = words_of(username="Mara_L", name="Mara O'Neill-Lindqvist")
    assert words == {"mara_l", "mara", "l", "o", "neill", "lindqvist"}


def test_names_without_blanks_are_found_from_any_sign() -> None:
    assert {"山田太郎", "田太郎", "太郎", "郎"} <= words_of(username="taro", name="山田太郎")


def test_words_fit_their_column() -> None:
    words = words_of(username="u", name="ﷺ" * 50)
    assert max(map(len, words)) <= 50


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("@Mara_L", ["mara_l"]),
        ("  mara   LIND ", ["mara", "lind"]),
        ("mara mara", ["mara"]),
        ("o'neill", ["o", "neill"]),
        ("…!?\0", []),
        ("", []),
        ("a b c d e f g", ["a", "b", "c", "d", "e"]),
        ("x" * 80, ["x" * 50]),
        ("一二三四五六七八九十", ["一二三四五六七八", "九十"]),
    ],
)
def test_a_query_is_split_like_a_name(query: str, terms: list[str]) -> None:
    assert terms_of(query) == terms


def test_a_bio_without_blanks_is_found_by_any_part_however_long() -> None:
    bio = "喜欢喝咖啡和写代码的猫"
    words = words_in_bio(f"Tea, {bio}")
    assert "tea" in words
    assert max(map(len, words)) == UNSPACED_TERM
    for part in ("咖啡", "写代码的猫", bio):
        assert all(any(word.startswith(term) for word in words) for term in terms_of(part))
