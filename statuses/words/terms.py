"""The terms of a text: what searches and streams look for. Texts and queries are cut the same way.

- A word is letters, digits and `_`, with their marks. It is a term.
- Han, Kana, Hangul, Thai, Lao, Khmer and Burmese have no blanks between words, or several words
  between blanks. A *run* of them has its pairs of signs as terms, and its last sign: 咖啡店 has
  咖啡, 啡店, 店. A sign is a letter with all that is combined with it.
- An emoji is a term, with its skin tone, as a flag, a keycap or a joined sequence. So are symbols.
- `@alice` and `#Tea` are terms with and without their sign. Runs in a tag have their terms too.
- A link has its address as a term, without `http://`, `www.` and a slash at the end; its host and
  the domains above, in searches; and the words in it.

Terms are folded (`web/plain_text.py`): `plain` for searches, `exact` for streams. They have no
blanks.

Searches see a text as its `places`, each with the terms that stand there, and what is looked for as
`QueryTerms`, which stand at places in a row. A single sign is the beginning of a term: it may stand
anywhere in a run. Streams keep runs whole, and look for what was asked inside them.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import NamedTuple

import regex

from web.plain_text import exact, plain

from .entities import Entity, find_entities

Fold = Callable[[str], str]
Place = tuple[str, ...]
Signs = list[str]

# Longer terms are cut: PostgreSQL keeps none of more than 2,046 bytes.
MAX_TERM = 250

_UNSPACED = (
    r"[[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Hangul}ー"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&\w]"
)
_RUN = rf"{_UNSPACED}[{_UNSPACED}\p{{M}}\u200C\u200D]*"
_PICTURE = r"[\p{ExtPict}\p{So}--\p{RI}]\p{EMod}?[\U000E0020-\U000E007F]*"
_EMOJI = rf"\p{{RI}}{{1,2}}|[0-9#*]\u20E3|{_PICTURE}(?:\u200D{_PICTURE})*"
# Splits a text into what is between, a run, an emoji, what is between …
_runs_and_emoji = regex.compile(rf"({_RUN})|({_EMOJI})", regex.VERSION1)
_run = regex.compile(_RUN, regex.VERSION1)
_simple_run = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー가-힣]+")
_sign = regex.compile(r"\X")
# Below these, only letters with blanks between words, and punctuation: most texts have no others.
_may_have_runs_or_emoji = re.compile("[¦©®°\u0482\u058d-\U0010ffff]")
_WORD = r"\w+"
# Without the punctuation around it.
_TRIMMED = r"\w(?:[^\s\x1C-\x1F]*\w)?"
# Python's own is quicker, but knows no marks.
_word, _trimmed = regex.compile(_WORD), regex.compile(_TRIMMED)
_ascii_word, _ascii_trimmed = re.compile(_WORD), re.compile(_TRIMMED)
# Invisible, and only sometimes typed: ❤️ is ❤.
_ignored = re.compile(r"[\u00AD\u180B-\u180F\u200B\u2060\uFE00-\uFE0F\uFEFF\U000E0100-\U000E01EF]+")
_unspoken = regex.compile(r"\A(?:https?://)?(?:www\.)?")
_scheme_and_fragment = regex.compile(r"\A[a-z]+://|#.*")
_host = regex.compile(r"[^/?#:]+\.[^/?#:]+")


class QueryTerms(NamedTuple):
    """They stand at places in a row. If `is_open`, the last is the beginning of a term there."""

    terms: tuple[str, ...]
    is_open: bool = False

    def stand_in(self, places: Sequence[Place]) -> bool:
        return any(True for _ in self.starts_in(places))

    def starts_in(self, places: Sequence[Place]) -> Iterator[int]:
        size = len(self.terms)
        starts: Iterable[int] = range(len(places) - size + 1)
        if size > 1 or not self.is_open:
            # Most places have another first term, and are not looked at any further.
            starts = [it for it in starts if self.terms[0] in places[it]]
        return (it for it in starts if self._stand_at(places[it : it + size]))

    def _stand_at(self, places: Sequence[Place]) -> bool:
        *others, last = zip(self.terms, places, strict=True)
        return self._ends_with(*last) and all(term in place for term, place in others)

    def _ends_with(self, term: str, place: Place) -> bool:
        return any(it.startswith(term) for it in place) if self.is_open else term in place


class Located(NamedTuple):
    """A place, and where it is in the text. `first_end`: the end of its first sign, in a run."""

    place: Place
    start: int
    end: int
    first_end: int


class Phrase(NamedTuple):
    """What a stream tracks: a text has all of these words and runs, in any order."""

    words: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()  # as `spelled`


def places(text: str, entities: Collection[Entity], fold: Fold = plain) -> list[Place]:
    """What a text says, in order, for searches. The first term of a place names all of it."""
    return [place for it in _tokens(text, entities, fold) for place in _places_of(it, fold)]


def located(text: str, entities: Collection[Entity], fold: Fold = plain) -> Iterator[Located]:
    """The `places` of a text as it is shown, with where each of them is."""
    end = 0
    for between, entity in zip_longest(_between(text, entities), entities):
        yield from _located_between(between, end, fold)
        if entity:
            end = entity.end
            for place in _places_of(entity, fold):
                yield Located(place, entity.start, end, end)


def query_terms(text: str, fold: Fold = plain) -> QueryTerms | None:
    """What a word, or a phrase in quotes, looks for; None if there is nothing to look for."""
    tokens = list(_tokens(text, find_entities(text), fold))
    if not tokens:
        return None
    *before, last = tokens
    terms = [place[0] for it in before for place in _places_of(it, fold)]
    # Where the query ends, the run of a text may go on.
    terms += (
        (_pairs(last) or _terms_of(last))
        if isinstance(last, list)
        else _places_of(last, fold)[0][:1]
    )
    is_open = isinstance(last, list) and len(last) == 1
    return QueryTerms(tuple(terms), is_open)


def words_of(text: str, entities: Collection[Entity]) -> frozenset[str]:
    """For streams: each word with and without the punctuation around it, and its parts; whole runs.

    Links, mentions and hashtags are words of their own: `@Twitter's` has no word `Twitter's`,
    and a link with a path does not have its host as a word.
    """
    words = {word for entity in entities for word in _words_of(entity)}
    for between, run, emoji in _pieces(_folded(" ".join(_between(text, entities)), exact)):
        words.update(between.split(), _trimmed_in(between), _words_in(between))
        words |= {run, emoji}
    words.discard("")
    return frozenset(words)


def phrase_of(text: str) -> Phrase:
    """`Twitter API` → twitter, api. Case, order and repeats do not matter."""
    entities = find_entities(text)
    words, runs = {_name_of(it, exact) for it in entities}, set[str]()
    for chunk in _folded(" ".join(_between(text, entities)), exact).split():
        betweens, found, emoji = zip(*_pieces(chunk), strict=True)
        # Punctuation counts, but not beside a run or an emoji.
        words.update([chunk] if len(found) == 1 else _words_in(" ".join(betweens)), emoji)
        runs.update(spelled(signs_of(it)) for it in found if it)
    return Phrase(frozenset(words - {""}), frozenset(runs))


def signs_of(word: str) -> Signs:
    """The signs of a run; none for any other word."""
    if word.isascii() or not _run.fullmatch(word):
        return []
    return list(word) if _simple_run.fullmatch(word) else _sign.findall(word)


def spelled(signs: Signs) -> str:
    """` 咖 啡 `: part of a longer run only where its signs are."""
    return f" {' '.join(signs)} "


def _tokens(text: str, entities: Collection[Entity], fold: Fold) -> Iterator[str | Signs | Entity]:
    """Words and emoji, the signs of runs, and entities, in order."""
    for between, entity in zip_longest(_between(text, entities), entities):
        yield from _tokens_between(_folded(between, fold))
        if entity:
            yield entity


def _tokens_between(folded: str) -> Iterator[str | Signs]:
    for between, run, emoji in _pieces(folded):
        yield from _words_in(between)
        if run or emoji:
            yield signs_of(run) or emoji


def _located_between(text: str, offset: int, fold: Fold) -> Iterator[Located]:
    folded, starts = _folded_by_sign(text, fold)
    at = 0
    for token in _tokens_between(folded):
        written = token if isinstance(token, str) else "".join(token)
        at = folded.index(written, at)
        for place, length, first in _lengths(token, fold):
            ends = (starts[at + it - 1][1] for it in (length, first))
            yield Located(place, offset + starts[at][0], *(offset + it for it in ends))
            at += len(written) if isinstance(token, str) else first


def _lengths(token: str | Signs, fold: Fold) -> Iterator[tuple[Place, int, int]]:
    """Places with how long they are, and how long the first sign of each is."""
    if isinstance(token, str):
        yield (token[:MAX_TERM],), len(token), len(token)
        return
    for place, sign, following in zip_longest(_places_of(token, fold), token, token[1:]):
        yield place, len(sign) + len(following or ""), len(sign)


def _folded_by_sign(text: str, fold: Fold) -> tuple[str, Sequence[tuple[int, int]]]:
    """With the start and end of the sign that each character of it was."""
    if text.isascii():
        return text.lower(), [(it, it + 1) for it in range(len(text))]
    folded: list[str] = []
    origins: list[tuple[int, int]] = []
    for sign in _sign.finditer(text):
        piece = _folded_sign(sign[0], fold)
        folded.append(piece)
        origins += [sign.span()] * len(piece)
    return "".join(folded), origins


@lru_cache(10_000)
def _folded_sign(sign: str, fold: Fold) -> str:
    return _folded(sign, fold)


def _between(text: str, entities: Collection[Entity]) -> Iterator[str]:
    """What is around the entities: one part more than there are of them."""
    end = 0
    for entity in entities:
        yield text[end : entity.start]
        end = entity.end
    yield text[end:]


def _folded(text: str, fold: Fold) -> str:
    return text.lower() if text.isascii() else fold(_ignored.sub("", text))


def _words_in(folded: str) -> list[str]:
    return (_ascii_word if folded.isascii() else _word).findall(folded)


def _trimmed_in(folded: str) -> list[str]:
    return (_ascii_trimmed if folded.isascii() else _trimmed).findall(folded)


def _pieces(folded: str) -> Iterator[tuple[str, str, str]]:
    """What is between, and the run or the emoji after it."""
    if not _may_have_runs_or_emoji.search(folded):
        return iter([(folded, "", "")])
    pieces = [it or "" for it in _runs_and_emoji.split(folded)]
    return zip_longest(pieces[::3], pieces[1::3], pieces[2::3], fillvalue="")


def _pairs(signs: Signs) -> list[str]:
    return [(one + other)[:MAX_TERM] for one, other in pairwise(signs)]


def _terms_of(token: str | Signs) -> list[str]:
    if isinstance(token, str):
        return [token[:MAX_TERM]]
    return [*_pairs(token), token[-1][:MAX_TERM]]


def _places_of(token: str | Signs | Entity, fold: Fold) -> list[Place]:
    if not isinstance(token, Entity):
        return [(term,) for term in _terms_of(token)]
    name = _name_of(token, fold)[:MAX_TERM]
    inside = _tokens_between(_inside(token, fold))
    terms = [term for it in inside for term in _terms_of(it)]
    if token.kind == "link":
        return [tuple(dict.fromkeys([name, *_hosts_in(name), *terms]))]
    return [(name, terms[0]), *((term,) for term in terms[1:])]


def _words_of(entity: Entity) -> Iterator[str]:
    yield _name_of(entity, exact)
    for between, run, emoji in _pieces(_inside(entity, exact)):
        yield from (*_words_in(between), run, emoji)


def _name_of(entity: Entity, fold: Fold) -> str:
    """The term for all of it."""
    if entity.kind == "link":
        address = _address(entity, fold)
        return _unspoken.sub("", address).rstrip("/") or address
    return ("@" if entity.kind == "mention" else "#") + _folded(entity.value, fold)


def _inside(entity: Entity, fold: Fold) -> str:
    """Where its words are."""
    if entity.kind == "link":
        # Not by urllib, which refuses some addresses that people can post.
        return _scheme_and_fragment.sub("", _address(entity, fold))
    return _folded(entity.value, fold)


def _address(link: Entity, fold: Fold) -> str:
    """Some characters stand for several, and for blanks between them."""
    return "".join(_folded(link.value, fold).split())


def _hosts_in(address: str) -> list[str]:
    host = _host.match(address)
    labels = host[0].split(".") if host else []
    return [".".join(labels[n:]) for n in range(len(labels) - 1)]
