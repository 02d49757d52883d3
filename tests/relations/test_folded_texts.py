"""What processes keep of the texts in which they look for muted words."""

from relations.muted_words import FoldedTexts


def test_it_is_bounded_by_its_length_and_not_by_its_number() -> None:
    folded = FoldedTexts(most_characters=1_000)
    for number in range(100):
        assert folded(f"{number:03} LONG " * 10) == (f"{number:03} long " * 10).strip()
        assert folded.characters <= 1_000
    assert folded("x" * 5_000) == "x" * 5_000
    assert folded.characters <= 1_000


def test_what_is_read_again_stays() -> None:
    folded = FoldedTexts(most_characters=30)
    for text in ("A cat", "A dog", "A cat", "A fox", "A cat", "A hen"):
        assert folded(text) == text.lower()
    assert list(folded._kept)[-2:] == ["A cat", "A hen"]
