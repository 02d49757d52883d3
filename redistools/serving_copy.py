"""The register of serving copies: every kind of key in Redis that is made from SQL.

An app describes its own in `serving_copy.py`: what the keys are about, how they are loaded, and
where they differ from SQL. Checking, rebuilding and erasing go through the register, so none can
leave one out. `redistools/copies.py` has the common kinds.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from django.db.models import QuerySet
from django.utils.module_loading import autodiscover_modules

from . import keys
from .client import get_client
from .scripts import Batch

# A row of the table that a store is about; None where it is about the whole site.
Row = Any


@dataclass(frozen=True)
class Difference:
    """Something that is wrong in Redis (or in a counter), and how to repair it."""

    what: str
    repair: Callable[[], object]

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class Scope:
    """What keys are about: the rows of a table, or, without a table, the whole site."""

    name: str
    rows: Callable[[], QuerySet[Any]] | None = None
    title: Callable[[Row], str] = str
    at_once: int = 100  # how many rows are looked at together

    def find(self, numbers: Collection[int]) -> list[Row]:
        if self.rows is None:
            return [None]
        return list(self.rows().filter(pk__in=numbers).order_by("pk"))


SITE = Scope("site")


@dataclass(frozen=True, kw_only=True)
class Store(ABC):
    """One kind of serving copy. Every verb takes rows, and may run any number of times."""

    kind: str  # the first word of its keys
    about: Scope
    # The keys that a row may have. Needs only the ids of the row, which may be gone.
    names: Callable[[Row], Sequence[str]]
    load: Callable[[Sequence[Row]], object]  # writes what Redis does not know, from SQL
    label: str = ""  # what people read instead of its kind
    on_demand: bool = False  # is it made from other copies, and only once somebody reads it?
    is_shown: bool = False  # may administrators look into it? What people like or mute: no

    @abstractmethod
    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        """Where Redis contradicts SQL. What Redis does not know is no difference."""

    def forget(self, rows: Iterable[Row]) -> None:
        """Removes the keys: from now on Redis does not know them. One round trip."""
        batch = Batch(get_client())
        for name in (name for row in rows for name in self.names(row)):
            batch.add("UNLINK", name)
        batch.run()

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:
        """Writes everything again; of what is made on demand, only what exists."""
        wanted = rows
        if self.on_demand and not also_unread:
            held = held_among(name for row in rows for name in self.names(row))
            wanted = [row for row in rows if held.intersection(self.names(row))]
        self.forget(rows)
        self.load(wanted)

    def strays(self, found: Collection[str]) -> Iterator[Difference]:
        """Keys that belong to no row, or to partitions that no longer exist."""
        rows = self.about.find({keys.number(name) for name in found})
        wanted = {name for row in rows for name in self.names(row)}
        for name in sorted(set(found) - wanted):
            yield Difference(f"{name} belongs to nothing in SQL", partial(self.remove, name))

    def remove(self, name: str) -> None:
        get_client().unlink(name)

    def title(self, row: Row) -> str:
        label = self.label or self.kind
        return label if row is None else f"{label} of {self.about.title(row)}"


def held_among(names: Iterable[str]) -> set[str]:
    wanted = list(names)
    batch = Batch(get_client())
    for name in wanted:
        batch.add("EXISTS", name)
    return {name for name, exists in zip(wanted, batch.run(), strict=True) if exists}


_stores: dict[str, Store] = {}


def each(load: Callable[[Any], object]) -> Callable[[Sequence[Any]], None]:
    def load_all(rows: Sequence[Any]) -> None:
        for row in rows:
            load(row)

    return load_all


def register(*stores: Store) -> None:
    for store in stores:
        if store.kind in _stores:
            raise ValueError(f"There is a store of the kind {store.kind!r} already")
        _stores[store.kind] = store


def stores(about: Scope | None = None) -> list[Store]:
    """In the order of the apps: copies that are made from other copies come after those."""
    _discover()
    return [store for store in _stores.values() if about in (None, store.about)]


@cache
def _discover() -> None:
    autodiscover_modules("serving_copy")


def scopes() -> list[Scope]:
    return list(dict.fromkeys(store.about for store in stores()))


def forget(about: Scope, rows: Collection[Row]) -> None:
    """Removes every key of these rows, which were deleted. One round trip for each store."""
    for store in stores(about):
        store.forget(rows)
