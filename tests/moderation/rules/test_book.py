"""Which rules something meets."""

import pytest
from hypothesis import given
from hypothesis.strategies import text

from moderation.rules.book import Entry, RuleBook
from moderation.rules.disguises import undisguised
from moderation.rules.patterns import Pattern
from web.client_address import address_from


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


@pytest.mark.parametrize(
    "text",
    [
        "ca\u200dsino",
        "ca\ufe0fsino",
        "c\u0336a\u0336sino",
        "\u0441asino",
        "CASIN\u039f",
        "\u2066casino",
    ],
)
def test_words_are_found_in_disguise(text: str) -> None:
    assert found_in(Pattern.WORDS, "casino", f"The {text} is open")


def test_a_word_of_another_alphabet_is_itself() -> None:
    assert found_in(
        Pattern.WORDS,
        "\u0441\u043e\u0440",
        "\u0412\u044b\u043d\u0435\u0441\u0438 \u0441\u043e\u0440!",
    )
    assert not found_in(
        Pattern.WORDS, "cop", "\u0412\u044b\u043d\u0435\u0441\u0438 \u0441\u043e\u0440!"
    )


@given(text())
def test_what_is_compared_stays_as_it_is(written: str) -> None:
    assert undisguised(undisguised(written)) == undisguised(written)


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


def test_one_mail_address_is_found_and_no_other_at_its_domain() -> None:
    book = RuleBook([entry(Pattern.MAIL, "eve@mail.example")])
    assert any(book.on_email("Eve@MAIL.example"))
    assert any(book.on_email("eve+again@mail.example"))
    assert not any(book.on_email("adam@mail.example"))
    assert not any(book.on_email("steve@mail.example"))


def test_links_to_a_number_are_found() -> None:
    assert found_in(Pattern.LINK, "192.0.2.7", "http://192.0.2.7/win")
    assert not found_in(Pattern.LINK, "192.0.2.7", "http://192.0.2.71/")


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


@pytest.mark.parametrize("pattern", ["2001:db8:1:2:3::4/128", "2001:db8:1:2::/64"])
def test_one_address_is_found_by_the_network_that_it_counts_as(pattern: str) -> None:
    book = RuleBook([entry(Pattern.ADDRESS, pattern)])
    assert any(book.on_address(address_from("2001:db8:1:2:3::4", "")))
    assert not any(book.on_address(address_from("2001:db8:1:3:3::4", "")))


def test_an_empty_book_finds_nothing() -> None:
    book = RuleBook()
    assert not [*book.on_text("https://a.example"), *book.on_email("a@b"), *book.on_address("::1")]
