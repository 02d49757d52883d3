"""Does Redis say what SQL says? Compares every serving copy with the record, in both directions.

What Redis does not know is no difference: it is read from SQL when needed. Nor is an id without a
status: it is dropped when it is read.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tqdm import tqdm

from redistools.serving_copy import Difference, Row, Scope, Store, held_among, scopes, stores

from .walking import count_of, keys_held, rows_of, sample_of, strays_among

# A write that is on its way from SQL to Redis is no difference.
PATIENCE_SECONDS = 1.0


def differences(sample: int | None, checked: Counter[str]) -> Iterator[Difference]:
    for scope in scopes():
        walk = rows_of(scope) if sample is None else sample_of(scope, sample)
        total = count_of(scope) if sample is None else sample
        with tqdm(total=total, desc=scope.name, disable=None) as bar:
            for rows in walk:
                yield from _check_patiently(scope, rows)
                checked[scope.name] += len(rows)
                bar.update(len(rows))
    if sample is None:
        yield from _strays()


def check(scope: Scope, rows: Sequence[Row]) -> Iterator[Difference]:
    for store in stores(scope):
        yield from store.differences(rows)


def lasting(scope: Scope, row: Row) -> dict[Store, list[Difference]]:
    """By store, of one row that somebody looks at."""
    found = _by_store(stores(scope), row)
    if not found:
        return {}
    time.sleep(PATIENCE_SECONDS)
    (*now,) = scope.find([row.pk])
    return _by_store(found, now[0]) if now else {}


def _by_store(among: Iterable[Store], row: Row) -> dict[Store, list[Difference]]:
    found = {store: list(store.differences([row])) for store in among}
    return {store: wrong for store, wrong in found.items() if wrong}


def _check_patiently(scope: Scope, rows: Sequence[Row]) -> Iterator[Difference]:
    if any(check(scope, rows)):
        time.sleep(PATIENCE_SECONDS)
        numbers = [row.pk for row in rows if row is not None]
        yield from check(scope, scope.find(numbers))


def _strays() -> Iterator[Difference]:
    with tqdm(desc="keys", disable=None) as bar:
        for names in keys_held():
            if any(strays_among(names)):
                time.sleep(PATIENCE_SECONDS)
                yield from strays_among(held_among(names))
            bar.update(len(names))
