"""The two ways of a search: SQL's index alone, and the window in Redis before it."""

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction

from bench.processor_time import servers, spent
from bench.search_corpus import Post
from redistools.chunks import chunks
from redistools.client import get_client
from search.index import feeding as sql_feeding
from search.index.documents import flat
from search.index.engine import engine
from search.index.wanted import Bounds, Wanted
from search.index.window import feeding, filling
from search.index.window.server import what_is_wrong
from search.index.writing import AT_ONCE
from search.models import Entry
from web.sql.ready_sql import select_by


def begin_window(posts: int) -> None:
    """With what is written from now on: nobody else writes, whose end it would have to await."""
    if wrong := what_is_wrong(get_client()):
        sys.exit(wrong)
    sql_feeding.index_old(steps=1)
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


def time_of_writing(write: Callable[[Sequence[Post]], None], posts: Sequence[Post]) -> float:
    """Seconds of a processor."""
    begun = spent(servers())
    for some in chunks(posts, AT_ONCE):
        write(some)
    return spent(servers()) - begun


def bytes_in_sqlite() -> int:
    (pages,), (free,), (size,) = (
        select_by(f"PRAGMA {it}", [])[0] for it in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def bytes_in_postgres() -> tuple[int, int]:
    """In all, and of that the table."""
    sizes = "pg_total_relation_size('search_entry'), pg_relation_size('search_entry')"
    ((in_all, in_table),) = select_by(f"SELECT {sizes}", [])
    return int(in_all), int(in_table)


def copy_to_postgres(posts: Iterable[Post]) -> None:
    """In a third of the time: what is not yet in the GIN is put there some thousands at a time."""
    change_index("(fastupdate = on)")
    for some in chunks(posts, 5_000):
        with connection.cursor() as cursor, cursor.copy("COPY search_entry FROM STDIN") as copy:
            for it in some:
                copy.write_row((it.id, engine().written(it.document)))
    change_index("(fastupdate = off)")
    select_by("SELECT gin_clean_pending_list('search_entry_terms')", [])


def change_index(options: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER INDEX search_entry_terms SET {options}")


def learn() -> None:
    """PostgreSQL does it by itself after a while: what is in its tables."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE search_entry")
