import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statuses.stored import StoredStatus
from statuses.words import entities
from statuses.words.entities import (
    Entity,
    Mentioned,
    find_entities,
    mentioned_names,
    to_html,
    with_accounts,
)

ACCOUNTS = {"alice": Mentioned(1, "alice", "Alice"), "bob": Mentioned(2, "bob", "Bob")}


def found(text: str, kind: str) -> list[str]:
    return [entity.value for entity in find_entities(text) if entity.kind == kind]


def html(text: str) -> str:
    return to_html(text, with_accounts(find_entities(text), ACCOUNTS))


# Links


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://example.com", "https://example.com"),
        ("HTTP://EXAMPLE.COM/A", "HTTP://EXAMPLE.COM/A"),
        ("see https://example.com.", "https://example.com"),
        ("https://example.com, or", "https://example.com"),
        ("https://example.com!?", "https://example.com"),
        ("(https://example.com/a)", "https://example.com/a"),
        ("“https://example.com”", "https://example.com"),
        ("https://example.com…", "https://example.com"),
        ("https://example.com/a_(b)", "https://example.com/a_(b)"),
        ("https://example.com/?a=1&b=2#c", "https://example.com/?a=1&b=2#c"),
        ("http://localhost:8000/x", "http://localhost:8000/x"),
        ("https://münchen.de/straße", "https://münchen.de/straße"),
        ("https://例え.テスト/道", "https://例え.テスト/道"),
        ("https://xn--mnchen-3ya.de", "https://xn--mnchen-3ya.de"),
        ("example.com", "http://example.com"),
        ("see www.example.org/a.", "http://www.example.org/a"),
    ],
)
def test_an_address_is_a_link_without_the_punctuation_around_it(text: str, address: str) -> None:
    assert found(text, "link") == [address]


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "JavaScript://example.com/%0aalert(1)",
        "vbscript:msgbox(1)",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "ftp://example.com",
        "mailto:alice@example.com",
        "//example.com/x",
        "https://",
        "end.Next sentence",
        "e.g. 1.5 of 2.3.4",
    ],
)
def test_nothing_but_web_addresses_is_a_link(text: str) -> None:
    assert found(text, "link") == []


@pytest.mark.parametrize("mail", ["alice@example.com", "first.me@example.com", "a.b.co@c.de"])
def test_a_mail_address_is_neither_link_nor_mention(mail: str) -> None:
    assert find_entities(f"write to {mail} now") == []


@pytest.mark.parametrize(
    "text",
    [
        "https://bank.example@evil.example/",
        "http://name:password@example.com",
        "https://evil.example\\@bank.example",
        "https://example.com/\u202egpj.exe",
        "https://exam\u2066ple.com",
    ],
)
def test_an_address_that_looks_like_another_is_no_link(text: str) -> None:
    assert found(text, "link") == []


def test_a_link_shows_the_address_without_what_nobody_reads() -> None:
    rel = 'rel="nofollow noopener noreferrer ugc"'
    shown = f'<a href="https://www.example.com/" {rel}>example.com</a>'
    assert html("https://www.example.com/") == shown


def test_a_long_address_is_shown_shortened_and_linked_in_full() -> None:
    address = f"https://example.com/{'x' * 60}"
    page = html(address)
    assert f'href="{address}"' in page
    assert f">example.com/{'x' * 27}…</a>" in page


def test_an_address_inside_an_address_does_not_stand_for_it() -> None:
    page = Page(html("example.com/?https://bank.example"))
    assert page.addresses == ["http://example.com/?https://bank.example"]
    assert page.text == "example.com/?https://bank.example"


# Mentions


@pytest.mark.parametrize(
    "text",
    ["@alice", "hi @alice!", ".@alice", "(@alice)", "@alice's", "@alice.", "\uff08@alice\uff09"],
)
def test_a_name_after_an_at_sign_is_a_mention(text: str) -> None:
    assert found(text, "mention") == ["alice"]


@pytest.mark.parametrize(
    "text",
    ["@", "@ alice", "@@alice", "a@alice", "é@alice", "#@alice", "/@alice", "@élan", "@alicé"],
)
def test_an_at_sign_inside_a_word_is_no_mention(text: str) -> None:
    assert found(text, "mention") == []


def test_a_name_is_at_most_30_characters_long() -> None:
    assert found("@" + "a" * 30, "mention") == ["a" * 30]
    assert found("@" + "a" * 31, "mention") == []


def test_somebody_elsewhere_is_not_our_user_of_the_same_name() -> None:
    assert find_entities("@alice@social.example") == []


def test_a_mention_is_linked_only_if_the_user_exists() -> None:
    assert html("@Alice and @nobody") == (
        '<a class="mention" href="/@Alice/">@Alice</a> and @nobody'
    )


def test_mentioned_names_are_folded_and_told_once() -> None:
    entities = find_entities("@Alice @alice @BOB #carol https://example.com/@dave")
    assert mentioned_names(entities) == {"alice", "bob"}


# Hashtags


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("#tag", "tag"),
        ("a #Tag.", "tag"),
        ("#tag-line", "tag"),
        ("#2nd", "2nd"),
        ("#under_score", "under_score"),
        ("#café", "café"),
        ("#日本語", "日本語"),
        ("#नमस्ते", "नमस्ते"),
        ("(#tag)", "tag"),
    ],
)
def test_a_word_after_a_hash_sign_is_a_hashtag(text: str, tag: str) -> None:
    assert found(text, "hashtag") == [tag]


@pytest.mark.parametrize("text", ["#", "# tag", "#1", "#2026", "#_", "##tag", "C#tag", "x/#y"])
def test_a_hashtag_has_a_letter_and_stands_alone(text: str) -> None:
    assert found(text, "hashtag") == []


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("#Tea", "/tags/tea/"),
        ("#\uff34\uff25\uff21", "/tags/tea/"),
        ("#café", "/tags/caf%C3%A9/"),
        ("#茶", "/tags/%E8%8C%B6/"),
    ],
)
def test_a_hashtag_leads_to_its_tag_and_shows_what_was_written(text: str, address: str) -> None:
    assert html(f"{text}!") == f'<a class="hashtag" href="{address}">{text}</a>!'


def test_a_hashtag_that_never_ends_is_plain_text() -> None:
    text = "#" + "a" * 101
    assert find_entities(text) == []
    assert html(text) == text


# Overlaps and order


def test_signs_inside_a_link_belong_to_the_link() -> None:
    assert [e.kind for e in find_entities("https://example.com/@alice#tag")] == ["link"]
    assert [e.kind for e in find_entities("example.com/#tag")] == ["link"]


def test_entities_come_in_the_order_of_the_text() -> None:
    text = "#a @alice https://example.com/@x #b"
    assert [e.kind for e in find_entities(text)] == ["hashtag", "mention", "link", "hashtag"]
    assert [text[e.start : e.end] for e in find_entities(text)] == text.split()


# HTML


def test_the_text_is_escaped() -> None:
    assert html("<b>\"R&B\" 'n' soul</b>") == (
        "&lt;b&gt;&quot;R&amp;B&quot; &#x27;n&#x27; soul&lt;/b&gt;"
    )


def test_a_new_line_is_a_line_break() -> None:
    assert html("a\n\n@alice\nb") == ('a<br><br><a class="mention" href="/@alice/">@alice</a><br>b')


@pytest.mark.parametrize(
    "text",
    [
        'https://example.com/"onmouseover="alert(1)"',
        "https://example.com/'onmouseover='alert(1)'",
        "https://example.com/<script>alert(1)</script>",
        'https://example.com/(")x=y',
        "https://example.com/`x`",
    ],
)
def test_an_address_can_not_break_out_of_its_attribute(text: str) -> None:
    page = Page(html(text))
    assert page.tags == [("a", {"href", "rel"})]
    assert page.text == _expected_text(text)


class Page(HTMLParser):
    """What a browser makes of the HTML: its tags with their attributes, and its text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, set[str]]] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.text += "\n"
            return
        self.tags.append((tag, {name for name, _ in attrs}))
        self.addresses += [value or "" for name, value in attrs if name == "href"]

    def handle_data(self, data: str) -> None:
        self.text += data


def _expected_text(text: str) -> str:
    """The text, with addresses as they are shown."""
    shown, end = "", 0
    for entity in find_entities(text):
        shown += text[end : entity.start] + _shown(text, entity)
        end = entity.end
    return shown + text[end:]


def _shown(text: str, entity: Entity) -> str:
    words = text[entity.start : entity.end]
    if entity.kind != "link":
        return words
    bare = re.sub("^(https?://)?(www[.])?", "", words, flags=re.IGNORECASE).rstrip("/")
    return bare if len(bare) <= 40 else f"{bare[:39]}…"


MARKUP = "< > \" ' & &lt; &#60; <script> ]]> <!-- javascript: ( ) ? = /"
SIGNS = "@alice @bob #tag https:// :// www. example.com"
PIECES = st.sampled_from([*MARKUP.split(), *SIGNS.split(), "\n", " "])
ANYTHING = st.characters(exclude_categories=["Cc", "Cs"])


@given(st.lists(PIECES | ANYTHING, max_size=40).map("".join))
@example("https://example.com/<img src=x onerror=alert(1)>")
@example("http://http://example.com")
def test_a_browser_shows_the_text_and_finds_only_our_links(text: str) -> None:
    page = Page(html(text))
    assert page.text == _expected_text(text)
    assert {tag for tag, _ in page.tags} <= {"a"}
    assert all(names <= {"href", "rel", "class"} for _, names in page.tags)
    assert all(map(_is_ours, page.addresses))


def _is_ours(address: str) -> bool:
    is_link = address.lower().startswith(("http://", "https://"))
    is_tag = re.fullmatch("/tags/[a-z0-9_~%A-F.-]+/", address) is not None
    return is_link or is_tag or address in ("/@alice/", "/@bob/")


@given(st.lists(PIECES | ANYTHING, max_size=40).map("".join))
def test_no_two_entities_overlap(text: str) -> None:
    for one, other in pairwise(find_entities(text)):
        assert one.start < one.end <= other.start


@given(st.lists(PIECES | ANYTHING, max_size=40).map("".join))
@example("http:/example")
@example("LOCALHOST")
@example("www.example.com")
def test_no_link_is_missed_where_none_is_looked_for(text: str) -> None:
    if not entities._may_link.search(text):
        assert not entities._links.match(text)


def test_entities_come_back_as_they_were_written() -> None:
    text = "@alice and @nobody read #news at https://example.com/a?b=ü"
    found = with_accounts(find_entities(text), ACCOUNTS)
    assert [entity.account is not None for entity in found] == [True, False, False, False]
    status = StoredStatus(1, 1, "alice", "Alice", "", text, "")
    assert status.with_entities(found).found == found
    assert status.with_entities([]) == status
    assert status.found == []
