"""Marks what was looked for in HTML that is finished: only `<mark>` is added, around text.

The HTML is ours, so every `<` in it begins a tag. Its text is cut by the tokenizer that found it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from html import unescape
from typing import NamedTuple

import regex

from statuses.words.entities import find_entities
from statuses.words.terms import Located, QueryTerms, located, query_terms, signs_of
from web.plain_text import plain

Span = tuple[int, int]
# Says where in a text the words are.
Finder = Callable[[str], Sequence[Span]]

_pieces = regex.compile(r"<[^>]*>|&[#\w]+;|[^<&]+|&", regex.DOTALL)


class Piece(NamedTuple):
    html: str
    text: str  # of a tag: nothing, or what stands for it


def mark(html: str, find: Finder) -> str:
    """A mark ends before each tag, and goes on behind it."""
    pieces = [Piece(it, _text_of(it)) for it in _pieces.findall(html)]
    spans = find("".join(it.text for it in pieces))
    return "".join(_marked(pieces, spans)) if spans else html


def _text_of(html: str) -> str:
    if html.startswith("<"):
        return "\n" if html == "<br>" else ""
    return unescape(html)


def _marked(pieces: Sequence[Piece], spans: Sequence[Span]) -> Iterator[str]:
    at, is_open = 0, False
    for piece in pieces:
        for html, is_inside in _cut(piece, at, spans):
            if is_inside != is_open:
                yield "<mark>" if is_inside else "</mark>"
            is_open = is_inside
            yield html
        at += len(piece.text)
    if is_open:
        yield "</mark>"


def _cut(piece: Piece, at: int, spans: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """At the ends of spans; what stands for another character stays whole."""
    html, text = piece
    near = [(max(start - at, 0), min(end - at, len(text))) for start, end in spans]
    near = [(start, end) for start, end in near if start < end]
    if html != text:
        yield html, bool(near) and near[0][0] == 0 and not html.startswith("<")
        return
    done = 0
    for start, end in near:
        if done < start:
            yield html[done:start], False
        yield html[start:end], True
        done = end
    if done < len(html):
        yield html[done:], False


def words_in_posts(asked: Collection[QueryTerms]) -> Finder:
    """Where posts say what a search asked for."""

    def find(text: str) -> list[Span]:
        return merged(_found(list(located(text, find_entities(text))), asked))

    return find


def beginnings(terms: Collection[str]) -> Finder:
    """Words that begin so, in what is written about people."""
    asked = [_begun(it) for term in terms if (it := query_terms(term))]

    def find(text: str) -> list[Span]:
        return merged(_found(list(located(text, [])), asked))

    return find


def _begun(asked: QueryTerms) -> QueryTerms:
    """In scripts without blanks, all that is looked for stands there."""
    has_blanks = all(signs_of(it) == [] for it in asked.terms)
    return asked._replace(is_open=asked.is_open or has_blanks)


def beginning(written: str) -> Finder:
    """The beginning of a tag."""
    wanted = plain(written.lstrip("#"))

    def find(text: str) -> list[Span]:
        lengths = range(1, len(text) + 1)
        end = next((it for it in lengths if plain(text[:it]).lstrip("#") == wanted), 0)
        return [(0, end)] if end and wanted else []

    return find


def _found(places: Sequence[Located], asked: Collection[QueryTerms]) -> Iterator[Span]:
    terms = [it.place for it in places]
    for it in asked:
        for start in it.starts_in(terms):
            last = places[start + len(it.terms) - 1]
            yield places[start].start, last.first_end if it.is_open else last.end


def merged(spans: Collection[Span] | Iterator[Span]) -> list[Span]:
    """In order; those that touch are one."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return whole
