"""What people type becomes one form."""

import pytest
from django.core.exceptions import ValidationError

from moderation.rules.patterns import Pattern, cleaned, host_of, with_domains_above


@pytest.mark.parametrize(
    ("kind", "written", "kept"),
    [
        (Pattern.WORDS, "  Buy   FOLLOWERS ", "buy followers"),
        (Pattern.WORDS, "\uff21\uff30\uff29", "api"),
        (Pattern.WORDS, "加微信", "加微信"),
        (Pattern.LINK, "https://www.Casino.example/win?now=1#top", "casino.example"),
        (Pattern.LINK, "*.casino.example", "casino.example"),
        (Pattern.LINK, "casino.example:8080", "casino.example"),
        (Pattern.LINK, "bücher.example", "xn--bcher-kva.example"),
        (Pattern.LINK, "casino.example.", "casino.example"),
        (Pattern.LINK, "http://192.0.2.7/win", "192.0.2.7"),
        (Pattern.WORDS, "Ca\u200dsi\ufe0fno", "casino"),
        (Pattern.MAIL, "Somebody+shop@Mail.example", "somebody@mail.example"),
        (Pattern.MAIL, "@mail.example", "mail.example"),
        (Pattern.ADDRESS, "192.0.2.7", "192.0.2.7/32"),
        (Pattern.ADDRESS, "192.0.2.7/24", "192.0.2.0/24"),
        (Pattern.ADDRESS, "2001:DB8::1/32", "2001:db8::/32"),
        (Pattern.ADDRESS, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        (Pattern.ADDRESS, "::ffff:192.0.2.7", "192.0.2.7/32"),
    ],
)
def test_a_pattern_has_one_form(kind: Pattern, written: str, kept: str) -> None:
    assert cleaned(kind, written) == kept


@pytest.mark.parametrize(
    ("kind", "written", "words"),
    [
        (Pattern.WORDS, "a", "at least two letters"),
        (Pattern.WORDS, "!!!", "at least two letters"),
        (Pattern.LINK, "casino", "a domain such as"),
        (Pattern.LINK, "", "a domain such as"),
        (Pattern.LINK, "not a domain.example", "a domain such as"),
        (Pattern.MAIL, "@", "a domain such as"),
        (Pattern.ADDRESS, "300.1.2.3", "an address or a network"),
        (Pattern.ADDRESS, "somewhere", "an address or a network"),
        (Pattern.ADDRESS, "0.0.0.0/0", "too wide"),
        (Pattern.ADDRESS, "2001::/8", "too wide"),
    ],
)
def test_what_is_no_pattern_is_refused_with_what_would_be_right(
    kind: Pattern, written: str, words: str
) -> None:
    with pytest.raises(ValidationError) as error:
        cleaned(kind, written)
    assert words in str(error.value)


def test_a_link_has_the_host_that_a_browser_would_ask() -> None:
    assert host_of("https://Bücher.example/a@b.example") == "xn--bcher-kva.example"
    assert host_of("http://[broken") == ""


def test_a_host_is_in_all_domains_above_it() -> None:
    assert list(with_domains_above("a.b.example")) == ["a.b.example", "b.example", "example"]
