"""The database at one moment, while the site goes on writing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    tables: list[str]
    query: Callable[[str], Iterable[tuple[Any, ...]]]
    content: Callable[[], Iterator[bytes]]
    """The database as one file: a copy for SQLite, a dump for PostgreSQL."""

    def rows(self) -> dict[str, int]:
        return {name: self._count(name) for name in self.tables}

    def _count(self, table: str) -> int:
        ((count,),) = self.query(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - our own tables
        return int(count)

    def migrations(self) -> list[str]:
        found = self.query("SELECT app, name FROM django_migrations")
        return sorted(f"{app}.{name}" for app, name in found)
