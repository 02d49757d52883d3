"""Finds words in templates that nobody can translate."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from django.template.base import Lexer, Token, TokenType

READ_ALOUD = frozenset("title placeholder aria-label aria-description alt".split())
# Names, and what programs read.
ALLOWED = frozenset("UTC JSON API RSS Atom QR".split())
# Not the name of a parameter: `?next=`.
_word = re.compile(r"[^\W\d_]{2,}(?![\w=])")
_entity = re.compile(r"&[a-zA-Z]+;|&#\w+;")
# Words that a tag or a filter writes.
_in_tag = re.compile(
    r"""\|(?:default|default_if_none|yesno):"([^"]*)"|\b\w+="([^"]* [^"]*)"|\|(pluralize)"""
)
_date = re.compile(r"""\|(?:date|time):["']([^"']*)["']""")
# For programs; people read the names of `socialsite/formats`.
PLAIN_DATES = frozenset({"c", "Y-m-d", r"Y-m-d\TH:i:s\Z", "U"})


def bare_words(path: Path) -> list[str]:
    tokens = list(_outside_of_translations(Lexer(path.read_text()).tokenize()))
    text = "".join(it.contents if it.token_type == TokenType.TEXT else " " for it in tokens)
    found = _in_text(text) if path.suffix == ".txt" else _in_html(text)
    return [*found, *_in_tags(tokens)]


def _outside_of_translations(tokens: list[Token]) -> Iterator[Token]:
    inside = ""
    for token in tokens:
        name = token.contents.split(maxsplit=1)[0] if token.contents.strip() else ""
        if token.token_type == TokenType.BLOCK and _hides(name, token.contents):
            inside = f"end{name}"
            yield token
        elif token.token_type == TokenType.BLOCK and name == inside:
            inside = ""
        elif not inside and token.token_type != TokenType.COMMENT:
            yield token


def _hides(name: str, tag: str) -> bool:
    """Is what follows translated, or read by nobody? A block `…_class` is part of an attribute."""
    return name in ("blocktranslate", "comment") or (name == "block" and tag.endswith("_class"))


def _in_text(text: str) -> list[str]:
    return [word for word in _word.findall(_entity.sub(" ", text)) if word not in ALLOWED]


def _in_html(html: str) -> list[str]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found


def _in_tags(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.token_type not in (TokenType.BLOCK, TokenType.VAR):
            continue
        if not token.contents.startswith(("translate ", "blocktranslate ")):
            for match in _in_tag.finditer(token.contents):
                yield from _in_text(next(filter(None, match.groups()), ""))
        for match in _date.finditer(token.contents):
            if match[1] not in PLAIN_DATES and not match[1].isupper():
                yield f"date:{match[1]}"


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "script", "code", "kbd"):
            self._silent = tag
        for name, value in attrs:
            if name in READ_ALOUD:
                self.found += _in_text(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == self._silent:
            self._silent = ""

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found += _in_text(data)
