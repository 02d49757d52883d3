"""What a query for posts says, once it is read: parts that all have to hold.

Its words are those that people know: `"first frost" OR snow from:rosa -market since:2026-01-01`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from django.utils.translation import gettext

from web.refusals import Refusal

FilterName = Literal["from", "to", "lang", "has", "since", "until", "min_likes", "filter", "in"]
Value = str | int | date
# Who reads, in the place of a name: `from:me`.
ME = "me"


class BadQuery(Refusal):
    """`column` is where it went wrong in what was typed, from 0, and `length` for how long."""

    def __init__(self, words: str, *, column: int, length: int = 1) -> None:
        super().__init__(words, code="query")
        self.column, self.length = column, length

    def around(self, typed: str) -> tuple[str, str, str]:
        """What was typed: before the place, there, and behind it."""
        end = self.column + self.length
        return typed[: self.column], typed[self.column : end], typed[end:]


@dataclass(frozen=True)
class Words:
    """As typed: a word, a `#tag`, a `@name`; or, in quotes, words that follow each other."""

    text: str
    is_phrase: bool = False
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f'"{self.text}"' if self.is_phrase else self.text


@dataclass(frozen=True)
class Filter:
    name: FilterName
    value: Value
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name}:{self.value}"


Atom = Words | Filter


@dataclass(frozen=True)
class Clause:
    """One of these has to hold; or, negated, the only one must not."""

    alternatives: tuple[Atom, ...]
    is_negated: bool = False

    def __str__(self) -> str:
        written = " OR ".join(map(str, self.alternatives))
        return f"-{written}" if self.is_negated else written


@dataclass(frozen=True)
class Query:
    clauses: tuple[Clause, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.clauses))

    @property
    def is_plain(self) -> bool:
        """Words alone: perhaps a name."""
        return all(it.alternatives == (Words(str(it)),) for it in self.clauses)

    def filters(self, name: FilterName) -> Iterator[Filter]:
        """Those that hold for everything that is found."""
        for clause in self.clauses:
            match clause:
                case Clause((Filter(name=found) as it,), is_negated=False) if found == name:
                    yield it


def needs_login(it: Filter) -> BadQuery:
    words = gettext("Log in to search with %(part)s.") % {"part": it}
    return BadQuery(words, column=it.column, length=len(str(it)))
