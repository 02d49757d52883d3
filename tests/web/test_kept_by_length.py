"""What processes keep of the texts that they have folded or parsed."""

from web.pages.kept_by_length import KeptByLength


def test_it_is_bounded_by_its_length_and_not_by_its_number() -> None:
    lower = KeptByLength(str.lower, most_characters=500)
    for number in range(100):
        assert lower(f"{number:03} LONG " * 10) == f"{number:03} long " * 10
        assert lower.characters <= 500
    assert lower("X" * 5_000) == "x" * 5_000
    assert lower.characters <= 500


def test_what_is_read_again_stays() -> None:
    lower = KeptByLength(str.lower, most_characters=15)
    for text in ("A cat", "A dog", "A cat", "A fox", "A cat", "A hen"):
        assert lower(text) == text.lower()
    assert list(lower._kept) == ["A fox", "A cat", "A hen"]


def test_what_is_kept_is_not_made_again() -> None:
    made: list[str] = []
    keep = KeptByLength(made.append, most_characters=100)
    for text in ("one", "two", "one"):
        keep(text)
    assert made == ["one", "two"]
