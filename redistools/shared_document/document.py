"""Something small that SQL keeps, that seldom changes, and that every process has to know: settings
of the site, rules of its moderators.

Redis holds a copy, as JSON, and beside it a digest, its version. Each process keeps what it read,
and asks at most twice a second, when somebody wants to know, whether the version is another. So a
change holds everywhere within a second, and costs pages nothing. While Redis is away the last copy
holds; a process that has none yet reads SQL.

Whoever wants to know never fails because of it, and never waits twice: one thread asks, the others
go on with what is there. Event loops don't wait at all.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ..client import get_client
from ..scripts import Batch
from ..writing_until_stable import write_until_stable

T = TypeVar("T")

VERSION, CONTENT = "version", "content"
# Then SQL is asked again. A process that died while it wrote an older row is not believed for long.
LIVES_SECONDS = 3600


class Copy(NamedTuple):
    content: Any
    version: str | None  # None if it is not from Redis


@dataclass(frozen=True)
class SharedDocument(Generic[T]):
    """`in_sql` returns a JSON object or list, `empty` is one that says nothing, and `read` makes of
    either what people use.
    """

    name: str
    key: Callable[[], str]
    in_sql: Callable[[], Any]
    read: Callable[[Any], T]
    empty: Any

    def fields(self) -> dict[str, str]:
        """What Redis should hold."""
        return self._fields_of(self.in_sql())

    def refresh(self) -> Copy:
        """Makes Redis say what SQL says. Two queries, one round trip."""
        content = write_until_stable(self.in_sql, self._write)
        return Copy(content, self._fields_of(content)[VERSION])

    def newer_than(self, version: str | None) -> Copy | None:
        """None if that is the current one. One round trip; one more if it is not."""
        if version is not None and self._ask(VERSION) == [version]:
            return None
        held, said = self._ask(VERSION, CONTENT)
        try:
            content = json.loads(said or "")
        except ValueError:
            return self.refresh()  # lost, or nobody has asked yet
        is_ours = isinstance(content, type(self.empty))
        return Copy(content, held or "") if is_ours else self.refresh()

    def _fields_of(self, content: Any) -> dict[str, str]:
        said = json.dumps(content, sort_keys=True)
        return {VERSION: hashlib.blake2b(said.encode(), digest_size=8).hexdigest(), CONTENT: said}

    def _write(self, content: Any) -> None:
        batch = Batch(get_client())
        pairs = (it for pair in self._fields_of(content).items() for it in pair)
        batch.add("HSET", self.key(), *pairs)
        batch.add("EXPIRE", self.key(), LIVES_SECONDS)
        batch.run()

    def _ask(self, *names: str) -> list[str | None]:
        batch = Batch(get_client())
        batch.add("HMGET", self.key(), *names)
        answer: list[str | None] = batch.run()[0]
        return answer
