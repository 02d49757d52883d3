"""The index of posts: in SQL, but still a copy, of what was said. And in Redis the lists of who is
offered first, and the sets of who has an interest.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from django.db.models import Exists, OuterRef

from redistools import keys
from redistools.serving_copy import SITE, Difference, Row, Store, register
from statuses.models import Status
from statuses.serving_copy import STATUSES
from tags.models import Interest, SpokenLanguage, Tag
from tags.serving_copy import TAGS as TAG_ROWS
from web.languages import OFFERED

from .completion import tag_uses
from .completion.checking import ListsStore
from .completion.names import NAMES
from .completion.tags import TAGS
from .index import feeding
from .index.window.checking import Window, keep_all
from .index.writing import write, wrong_among
from .interests import sets
from .interests.checking import TermSets, names_of
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


class TagUses(Store):
    def differences(self, rows: Sequence[Tag]) -> Iterator[Difference]:
        """What is still to be counted is no difference."""
        ids = [row.pk for row in rows]
        counted, noted = tag_uses.counted(ids), tag_uses.noted_among(ids)
        for row in rows:
            if row.pk not in noted and abs(counted.get(row.pk, 0) - row.uses) > row.uncounted:
                yield Difference(f"{self.title(row)} differ", partial(tag_uses.count, [row.pk]))

    def rebuild(self, rows: Sequence[Tag], *, also_unread: bool) -> None:  # noqa: ARG002 - SQL
        tag_uses.count([row.pk for row in rows])


def load_interests(tags: Sequence[Tag]) -> None:
    """Of tags that nobody has put on their profile there is no set."""
    used = Interest.objects.filter(tag__in=tags).values_list("tag_id", flat=True)
    sets.load(used.distinct())


def load_speakers() -> None:
    spoken = SpokenLanguage.objects.values_list("code", flat=True)
    sets.load(spoken.distinct())


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
    ListsStore(
        kind="tag_names",
        label="list of tags",
        about=SITE,
        names=lambda _site: keys.all_tag_names(),
        load=lambda _site: TAGS.load_all(),
        on_demand=True,
        lists=TAGS,
    ),
    TagUses(
        kind="tag_uses",
        label="uses",
        about=TAG_ROWS,
        names=lambda _tag: [],
        load=lambda _rows: None,
    ),
    ListsStore(
        kind="names",
        label="list",
        about=SITE,
        names=lambda _site: keys.all_names(),
        load=lambda _site: NAMES.load_all(),
        on_demand=True,
        lists=NAMES,
    ),
    TermSets(
        kind="interests",
        label="interested people",
        about=TAG_ROWS,
        terms=lambda tag: [tag.pk],
        names=lambda tag: names_of([tag.pk]),
        load=load_interests,
        on_demand=True,
    ),
    TermSets(
        kind="speakers",
        about=SITE,
        terms=lambda _site: OFFERED,
        names=lambda _site: names_of(OFFERED),
        load=lambda _site: load_speakers(),
        on_demand=True,
    ),
)
