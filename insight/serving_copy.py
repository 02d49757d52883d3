from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from redistools.serving_copy import SITE, Difference, Row, Store, register

from .places import loading, store


@dataclass(frozen=True, kw_only=True)
class Ranges(Store):
    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        for _ in rows:
            yield from store.differences()


register(
    Ranges(
        kind="place_ranges",
        label="where addresses are",
        about=SITE,
        names=lambda _site: store.names(),
        load=lambda _rows: loading.keep(),
    )
)
