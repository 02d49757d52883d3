"""The lists in the register of serving copies: what is wrong in them, and all of them again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from redistools.client import get_client
from redistools.scripts import Batch
from redistools.serving_copy import Difference, Row, Store

from . import lists
from .lists import Lists
from .packing import packed, unpacked


@dataclass(frozen=True, kw_only=True)
class ListsStore(Store):
    lists: Lists

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:  # noqa: ARG002 - the site
        for bucket, beginning, text in self._held():
            if bucket != self.lists.bucket(beginning) or self._is_wrong(beginning, text):
                what = f"{self.label} of {beginning!r} differs from SQL"
                yield Difference(what, partial(get_client().hdel, bucket, beginning))

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:
        beginnings = {beginning for _, beginning, _ in self._held()}
        self.forget(rows)
        for beginning in beginnings:
            self.lists.everybody(beginning, None)
        if also_unread:
            self.load(rows)

    def _held(self) -> Iterator[tuple[str, str, str]]:
        """Each bucket, beginning and list."""
        buckets = self.lists.all_buckets()
        batch = Batch(get_client())
        for bucket in buckets:
            batch.add("HGETALL", bucket)
        for bucket, fields in zip(buckets, batch.run(), strict=True):
            for beginning, text in fields.items():
                yield bucket, beginning, text

    def _is_wrong(self, beginning: str, text: str) -> bool:
        """A mark is not: nobody takes it for a list."""
        listed = unpacked(text)
        if listed is None:
            return False
        wanted = self.lists.ranking.down_to([beginning], listed.floor)
        if len(wanted) < lists.LEAST:
            return True
        return packed(listed.floor, wanted) != text
