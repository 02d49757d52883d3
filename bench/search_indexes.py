"""The two ways of a search: SQL's index alone, and the window in Redis before it."""

import sys
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction

from bench.processor_time import spent
from bench.search_corpus import Post
from redistools.chunks import chunks
from redistools.client import get_client
from search.index.documents import flat
from search.index.engine import engine
from search.index.wanted import Bounds, Wanted
from search.index.window import feeding, filling
from search.index.writing import AT_ONCE
from search.models import Entry
from web.sql.ready_sql import select_by

SETTING, ENTRIES = "set-max-intset-entries", 65_536


def refuse_big_sets() -> None:
    """Sets of numbers that Redis does not keep compact take five times as much."""
    found = int(get_client().config_get(SETTING)[SETTING])
    if found < ENTRIES:
        sys.exit(f"Redis must have {SETTING} {ENTRIES}, got {found}")


def begin_window(posts: int) -> None:
    """With what is written from now on: nobody else writes, whose end it would have to await."""
    settings.SEARCH_WINDOW, filling.UNSETTLED = posts, timedelta(0)
    while filling.keep():
        pass


def find_in_sql(wanted: Wanted, bounds: Bounds, limit: int) -> list[int]:
    return engine().newest(wanted, bounds, limit)


def write_to_sql(posts: Sequence[Post]) -> None:
    """As for posts that are new."""
    terms = {it.id: engine().written(it.document) for it in posts}
    with transaction.atomic():
        Entry.objects.bulk_create([Entry(id=it, terms=terms[it]) for it in terms])


def write_to_window(posts: Iterable[Post]) -> None:
    feeding.put(feeding.post(it.id, flat(it.document), may_differ=False) for it in posts)


def time_of_writing(posts: Sequence[Post]) -> tuple[float, float]:
    """Of a processor: to SQL, and to the window."""
    begun = spent(servers())
    for some in chunks(posts, AT_ONCE):
        write_to_sql(some)
    between = spent(servers())
    for some in chunks(posts, AT_ONCE):
        write_to_window(some)
    return between - begun, spent(servers()) - between


def servers() -> list[int]:
    """Redis, and the process of PostgreSQL that answers us."""
    found = [int(get_client().info("server")["process_id"])]
    if connection.vendor == "postgresql":
        ((backend,),) = select_by("SELECT pg_backend_pid()", [])
        found.append(int(backend))
    return found


def bytes_in_sql() -> int:
    if connection.vendor == "postgresql":
        ((size,),) = select_by("SELECT pg_total_relation_size('search_entry')", [])
        return int(size)
    (pages,), (free,), (size,) = (
        select_by(f"PRAGMA {it}", [])[0] for it in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def learn() -> None:
    """PostgreSQL does it by itself after a while: what is in its tables."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE search_entry")
