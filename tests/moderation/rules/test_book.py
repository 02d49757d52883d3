"""Which rules something meets."""

import pytest

from moderation.rules.book import Entry, RuleBook
from moderation.rules.patterns import Pattern


def entry(kind: Pattern, pattern: str) -> Entry:
    return Entry(1, kind, pattern, "refuse", "spam")


def found_in(kind: Pattern, pattern: str, text: str) -> bool:
    return any(RuleBook([entry(kind, pattern)]).on_text(text))


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("buy followers", "You can BUY Followers here"),
        ("casino", "#Casino tonight"),
        ("casino", "\uff23\uff21\uff33\uff29\uff2e\uff2f!"),
        ("加微信", "想赚钱就加微信吧"),
    ],
)
def test_words_are_found_in_any_case_and_width(pattern: str, text: str) -> None:
    assert found_in(Pattern.WORDS, pattern, text)


@pytest.mark.parametrize("text", ["concatenate", "dogs and birds", ""])
def test_words_are_not_found_inside_of_others(text: str) -> None:
    assert not found_in(Pattern.WORDS, "cat", text)


@pytest.mark.parametrize(
    "text",
    [
        "Win at https://casino.example.com/now",
        "Win at WWW.CASINO.EXAMPLE.COM",
        "see http://deep.down.casino.example.com:8080/?a=1",
    ],
)
def test_links_are_found_to_a_domain_and_those_below_it(text: str) -> None:
    assert found_in(Pattern.LINK, "casino.example.com", text)


@pytest.mark.parametrize(
    "text",
    [
        "https://notcasino.example.com/",
        "https://casino.example.com.net/",
        "https://good.example/casino.example.com",
        "casino dot example",
    ],
)
def test_links_elsewhere_are_not_found(text: str) -> None:
    assert not found_in(Pattern.LINK, "casino.example.com", text)


def test_one_rule_is_found_once() -> None:
    book = RuleBook([entry(Pattern.LINK, "a.example")])
    assert len(list(book.on_text("https://a.example https://www.a.example/b"))) == 1


def test_mail_addresses_are_found_by_their_domain() -> None:
    book = RuleBook([entry(Pattern.MAIL, "mail.example")])
    assert any(book.on_email("eve@MAIL.example"))
    assert any(book.on_email("eve@sub.mail.example"))
    assert not any(book.on_email("mail.example@good.example"))


@pytest.mark.parametrize(
    ("address", "is_found"),
    [
        ("192.0.2.7", True),
        ("192.0.3.7", False),
        ("2001:db8:0:1::/64", True),
        ("2001:db9::/64", False),
        ("", False),
        ("unix:", False),
    ],
)
def test_addresses_are_found_by_their_network(address: str, is_found: bool) -> None:
    book = RuleBook(
        [entry(Pattern.ADDRESS, "192.0.2.0/24"), entry(Pattern.ADDRESS, "2001:db8::/32")]
    )
    assert any(book.on_address(address)) is is_found


def test_an_empty_book_finds_nothing() -> None:
    book = RuleBook()
    assert not [*book.on_text("https://a.example"), *book.on_email("a@b"), *book.on_address("::1")]
