"""Everything that is checked and rebuilt, in chunks: rows in SQL, keys in Redis."""

from collections.abc import Iterable, Iterator

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.serving_copy import Difference, Row, Scope, stores

# Redis serves others between two steps of a SCAN.
KEYS_AT_ONCE = 1_000


def count_of(scope: Scope, *, above: int = 0) -> int:
    return 1 if scope.rows is None else scope.rows().filter(pk__gt=above).count()


def rows_of(scope: Scope, *, above: int = 0) -> Iterator[list[Row]]:
    """By id. The site as a whole is one row, None."""
    if scope.rows is None:
        yield [None]
        return
    while rows := list(scope.rows().filter(pk__gt=above).order_by("pk")[: scope.at_once]):
        yield rows
        above = rows[-1].pk


def sample_of(scope: Scope, size: int) -> Iterator[list[Row]]:
    if scope.rows is None:
        yield [None]
        return
    numbers = scope.rows().order_by("?").values_list("pk", flat=True)[:size]
    for some in chunks(numbers, scope.at_once):
        yield scope.find(some)


def keys_held() -> Iterator[list[str]]:
    """All keys of the site that Redis holds throughout; some may come twice."""
    found: Iterable[str] = get_client().scan_iter(match=keys.everything(), count=KEYS_AT_ONCE)
    yield from chunks(found, KEYS_AT_ONCE)


def strays_among(names: Iterable[str]) -> Iterator[Difference]:
    by_kind: dict[str, set[str]] = {}
    for name in names:
        by_kind.setdefault(keys.kind(name), set()).add(name)
    for store in stores():
        if store.kind in by_kind:
            yield from store.strays(by_kind[store.kind])
