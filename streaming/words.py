"""The words of a text, as `track` sees them, and the phrases that look for them."""

import unicodedata
from collections.abc import Iterator
from urllib.parse import urlsplit

import regex

from statuses.entities import Entity, find_entities

Phrase = frozenset[str]
"""Terms that a text must all have, in any order."""

# Everything that is neither letter, digit, mark nor emoji; joiners hold emoji and scripts together.
_gaps = regex.compile(r"[^\w\p{M}\p{So}\u200c\u200d]+")
_outer_gaps = regex.compile(rf"\A{_gaps.pattern}|{_gaps.pattern}\Z")


def phrase_of(text: str) -> Phrase:
    """`Twitter API` → {twitter, api}. Case, order and repeats do not matter."""
    return frozenset(_without_scheme(term) for term in _fold(text).split())


def words_of(text: str) -> frozenset[str]:
    """Each word as it stands, without what surrounds it, and in its parts.

    Links, mentions and hashtags are words of their own: `@Twitter's` has no word `Twitter's`,
    and a link that has a path does not have the word that is its host.
    """
    words: set[str] = set()
    rest = list(text)
    for entity in find_entities(text):
        words.update(_entity_words(entity))
        rest[entity.start : entity.end] = " " * (entity.end - entity.start)
    for chunk in _fold("".join(rest)).split():
        words |= {chunk, _outer_gaps.sub("", chunk), *_gaps.split(chunk)}
    words.discard("")
    return frozenset(words)


def _entity_words(entity: Entity) -> Iterator[str]:
    value = _fold(entity.value)
    if entity.kind == "link":
        yield from _link_words(value)
    else:
        yield value
        yield ("@" if entity.kind == "mention" else "#") + value


def _link_words(address: str) -> Iterator[str]:
    """Host and path together, with and without `www.`, and the parts of both."""
    parts = urlsplit(address)
    whole = _without_scheme(address)
    yield whole
    yield whole.removeprefix("www.")
    yield from _gaps.split(f"{parts.hostname or ''} {parts.path} {parts.query}")


def _without_scheme(address: str) -> str:
    return address.removeprefix("http://").removeprefix("https://").rstrip("/") or address


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
