"""The index of posts: in SQL, but still a copy, of what was said. And the lists in Redis of who is
offered first.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from django.db.models import Exists, OuterRef

from redistools import keys
from redistools.serving_copy import SITE, Difference, Row, Store, register
from statuses.models import Status
from statuses.serving_copy import STATUSES

from .completion import lists
from .completion.checking import NameLists
from .index import feeding
from .index.window.checking import Window, keep_all
from .index.writing import write, wrong_among
from .models import Entry

STRAYS_AT_ONCE = 1_000


class Entries(Store):
    def differences(self, rows: Sequence[Status]) -> Iterator[Difference]:
        """What is still to be looked at is no difference."""
        progress = feeding.progress()
        for row in wrong_among(rows):
            if progress.rest <= row.pk <= progress.settled:
                yield Difference(f"{self.title(row)} differs", partial(write, [row.pk]))

    def rebuild(self, rows: Sequence[Status], *, also_unread: bool) -> None:  # noqa: ARG002 - SQL
        write([row.pk for row in rows])


class StrayEntries(Store):
    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:  # noqa: ARG002 - the site
        gone = Entry.objects.exclude(Exists(Status.objects.filter(pk=OuterRef("pk"))))
        for status_id in gone.values_list("pk", flat=True)[:STRAYS_AT_ONCE]:
            what = f"the index has status {status_id}, which is gone"
            yield Difference(what, partial(write, [status_id]))

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:  # noqa: ARG002 - SQL
        for difference in self.differences(rows):
            difference.repair()


register(
    Entries(
        kind="search_entries",
        label="entry in the index",
        about=STATUSES,
        names=lambda _status: [],
        load=lambda _rows: None,
    ),
    StrayEntries(
        kind="stray_search_entries",
        label="entries of what is gone",
        about=SITE,
        names=lambda _site: [],
        load=lambda _site: None,
    ),
    Window(
        kind="search",
        label="the window of searches",
        about=SITE,
        names=lambda _site: [keys.search_segments()],
        load=lambda _site: keep_all(),
    ),
    NameLists(
        kind="names",
        label="list",
        about=SITE,
        names=lambda _site: keys.all_names(),
        load=lambda _site: lists.load_all(),
        on_demand=True,
    ),
)
