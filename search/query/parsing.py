"""Reads a query. What makes no sense is refused, with the place where it went wrong.

OR joins only its neighbours: `snow frost OR ice` means snow, and one of the other two.
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex
from django.utils.translation import gettext

from .filters import filter_of, refuse_narrowing
from .syntax import Atom, BadQuery, Clause, Filter, Query, Words

OR = "OR"
MOST_PARTS = 20

# Wide signs, as Chinese and Japanese keyboards have them; each stays one character.
_NARROW = {wide: wide - 0xFF01 + 0x21 for wide in range(0xFF01, 0xFF5F)}
_blanks = regex.compile(r"\s+")
_tokens = regex.compile(
    r"""
    (?P<minus>-(?=\S))?
    (?: ["“”„](?P<phrase>[^"“”„]*)(?P<end>["“”„])?  |  (?P<word>\S+) )
    """,
    regex.VERBOSE,
)


class Token(NamedTuple):
    column: int
    is_negated: bool
    atom: Atom | None  # None: OR


def parse(text: str) -> Query:
    """Raises BadQuery."""
    clauses: list[Clause] = []
    tokens = list(_read(text))
    after_or = False
    for token in tokens:
        if token.atom is None:
            _refuse_lonely_or(token, clauses, after_or=after_or)
        elif after_or:
            clauses[-1] = Clause((*clauses[-1].alternatives, token.atom))
        else:
            clauses.append(Clause((token.atom,), token.is_negated))
        _refuse_mixture(token, clauses[-1], after_or=after_or)
        after_or = token.atom is None
    if after_or:
        raise _lonely(tokens[-1])
    return Query(tuple(clauses))


def _read(text: str) -> Iterator[Token]:
    found = _tokens.finditer(text.translate(_NARROW))
    for place, match in enumerate(found):
        column = match.start()
        if place >= MOST_PARTS:
            words = gettext("A search has at most %(most)s parts: leave out the rest.")
            length = len(text) - column
            raise BadQuery(words % {"most": MOST_PARTS}, column=column, length=length)
        if match[0] == OR:
            yield Token(column, is_negated=False, atom=None)
        else:
            is_negated = bool(match["minus"])
            yield Token(column, is_negated, _atom(match, column + is_negated))


def _atom(match: "regex.Match[str]", column: int) -> Atom:
    phrase, word = match["phrase"], match["word"]
    if word is None:
        if match["end"] is None:
            words = gettext('This " has no partner: put another one behind the last word.')
            raise BadQuery(words, column=column)
        return Words(_blanks.sub(" ", phrase).strip(" "), is_phrase=True, column=column)
    return filter_of(word, column) or Words(word, column=column)


def _refuse_lonely_or(token: Token, clauses: list[Clause], *, after_or: bool) -> None:
    if after_or or not clauses:
        raise _lonely(token)


def _lonely(token: Token) -> BadQuery:
    words = gettext('OR stands between two words: tea OR coffee. To look for the word, write "or".')
    return BadQuery(words, column=token.column, length=len(OR))


def _refuse_mixture(token: Token, clause: Clause, *, after_or: bool) -> None:
    is_joined = after_or or token.atom is None
    if is_joined and (token.is_negated or clause.is_negated):
        words = gettext("OR and - can't stand together: leave one of them out.")
        raise BadQuery(words, column=token.column, length=len(OR) if token.atom is None else 1)
    for it in clause.alternatives:
        if isinstance(it, Filter) and is_joined:
            refuse_narrowing(it, OR)
        elif isinstance(it, Filter) and clause.is_negated:
            refuse_narrowing(it, "-")
