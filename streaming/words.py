"""The words of a text, and the phrases of `track` that look for them."""

import unicodedata
from collections.abc import Collection, Iterator

import regex

from statuses.words.entities import Entity, find_entities

Phrase = frozenset[str]  # a text must have all these terms, in any order
# Everything that is neither letter, digit, mark nor emoji; joiners hold emoji and scripts together.
_gaps = regex.compile(r"[^\w\p{M}\p{So}\u200c\u200d]+")
_scheme_and_fragment = regex.compile(r"\A[a-z]+://|#.*")
_unspoken = regex.compile(r"\A(?:https?://)?(?:www\.)?")
_outer_gaps = regex.compile(rf"\A{_gaps.pattern}|{_gaps.pattern}\Z")


def phrase_of(text: str) -> Phrase:
    """`Twitter API` → {twitter, api}. Case, order and repeats do not matter."""
    return frozenset(map(_term, _fold(text).split()))


def _term(text: str) -> str:
    match find_entities(text):
        case [Entity(kind="link", start=0, end=end) as link] if end == len(text):
            return _bare(_fold(link.value))
    return text


def words_of(text: str, entities: Collection[Entity]) -> frozenset[str]:
    """Finds each word without the punctuation around it, and its parts.

    Links, mentions and hashtags are words of their own: `@Twitter's` has no word `Twitter's`,
    and a link with a path does not have its host as a word.
    """
    words: set[str] = set()
    rest = list(text)
    for entity in entities:
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
    yield _bare(address)
    # Not by urllib, which refuses some addresses that people can post.
    yield from _gaps.split(_scheme_and_fragment.sub("", address))


def _bare(address: str) -> str:
    """Drops scheme, `www.` and trailing slash, so that all spellings are one word."""
    return _unspoken.sub("", address).rstrip("/") or address


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
