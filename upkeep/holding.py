"""What Redis holds of one row, for somebody to look at: keys, sizes, and the beginning of each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from redistools.client import get_client
from redistools.scripts import Batch
from redistools.serving_copy import Difference, Row, Scope, Store, stores

from .checking import lasting

# Of each key, and of each value.
SHOWN, LONGEST = 20, 200


class Kind(NamedTuple):
    """How a type of Redis says how much it holds, and how it begins."""

    size: str
    begin: tuple[str | int, ...]
    entries: Callable[[Any], Iterable[tuple[object, object]]]


KINDS = {
    "hash": Kind("HLEN", ("HGETALL",), lambda held: held.items()),
    "zset": Kind("ZCARD", ("ZREVRANGE", 0, SHOWN - 1), enumerate),
    "list": Kind("LLEN", ("LRANGE", 0, SHOWN - 1), enumerate),
    "string": Kind("STRLEN", ("GETRANGE", 0, LONGEST), lambda held: [("", held)]),
}


@dataclass(frozen=True)
class Key:
    name: str
    type: str
    size: int
    seconds: int
    """Until it expires; -1: it stays."""

    entries: Sequence[tuple[str, str]]
    """Empty where nobody may look into it."""


@dataclass(frozen=True)
class Held:
    store: Store
    keys: Sequence[Key]
    differences: Sequence[Difference]
    is_in_sql: bool
    """Such as a counter: there are no keys of it."""


def held_of(scope: Scope, row: Row, *, compare: bool) -> list[Held]:
    """By store. Three round trips, and those of the comparison."""
    found = {store: list(store.names(row)) for store in stores(scope)}
    open_ = [name for store, names in found.items() if store.is_shown for name in names]
    keys = _look_at([name for names in found.values() for name in names], frozenset(open_))
    wrong = lasting(scope, row) if compare else {}
    return [
        Held(store, [keys[it] for it in names if it in keys], wrong.get(store, ()), not names)
        for store, names in found.items()
    ]


def repair(scope: Scope, row: Row) -> list[Difference]:
    """As `check_timelines --repair` does it. Returns what was wrong."""
    found = [it for some in lasting(scope, row).values() for it in some]
    for difference in found:
        difference.repair()
    return found


def _look_at(names: Sequence[str], open_: frozenset[str]) -> dict[str, Key]:
    types = dict(zip(names, _ask(("TYPE", name) for name in names), strict=True))
    there = [name for name in names if types[name] in KINDS]
    sizes = _ask((KINDS[types[name]].size, name) for name in there)
    lives = _ask(("TTL", name) for name in there)
    readable = [name for name in there if name in open_]
    read = _ask(_begin(KINDS[types[name]], name) for name in readable)
    begun = dict(zip(readable, read, strict=True))
    return {
        name: Key(name, types[name], size, seconds, _shortened(types[name], begun.get(name)))
        for name, size, seconds in zip(there, sizes, lives, strict=True)
    }


def _begin(kind: Kind, name: str) -> tuple[str | int, ...]:
    command, *options = kind.begin
    return (command, name, *options)


def _shortened(type_: str, begun: Any) -> list[tuple[str, str]]:
    if begun is None:
        return []
    return [(str(name), _cut(str(value))) for name, value in KINDS[type_].entries(begun)]


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST else f"{value[:LONGEST]} …"


def _ask(commands: Iterable[tuple[str | int, ...]]) -> list[Any]:
    batch = Batch(get_client())
    for command in commands:
        batch.add(*command)
    return batch.run()
