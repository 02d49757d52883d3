"""The lists in the register of serving copies: what is wrong in them, and all of them again."""

from collections.abc import Iterator, Sequence
from functools import partial

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from redistools.serving_copy import Difference, Row, Store

from . import lists
from .ranking import down_to


class NameLists(Store):
    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:  # noqa: ARG002 - the site
        for bucket, beginning, text in _held():
            if bucket != keys.names(beginning) or _is_wrong(beginning, text):
                what = f"{self.label} of {beginning!r} differs from SQL"
                yield Difference(what, partial(get_client().hdel, bucket, beginning))

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:
        beginnings = {beginning for _, beginning, _ in _held()}
        self.forget(rows)
        for beginning in beginnings:
            lists.everybody(beginning, None)
        if also_unread:
            self.load(rows)


def _held() -> Iterator[tuple[str, str, str]]:
    """Each bucket, beginning and list."""
    buckets = keys.all_names()
    batch = Batch(get_client())
    for bucket in buckets:
        batch.add("HGETALL", bucket)
    for bucket, fields in zip(buckets, batch.run(), strict=True):
        for beginning, text in fields.items():
            yield bucket, beginning, text


def _is_wrong(beginning: str, text: str) -> bool:
    """A mark is not: nobody takes it for a list."""
    listed = lists.unpacked(text)
    if listed is None:
        return False
    wanted = [it.user_id for it in down_to([beginning], listed.floor)]
    return listed.ids != wanted or len(wanted) < lists.LEAST
