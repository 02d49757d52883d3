"""What Redis holds of timelines: homes, lists, tags, mentions, pulled authors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings

from lists.serving_copy import LISTS
from redistools import keys, loaded_set
from redistools.copies import LoadedSets, SetRow, described, register_sets
from redistools.loaded_set import IdPage, Loaded, Range
from redistools.serving_copy import SITE, Difference, Row, Store, each, held_among, register
from statuses.models import Status, StatusQuerySet
from statuses.serving_copy import STATUSES
from statuses.store import without_trace
from tags.models import Tag
from tags.serving_copy import TAGS
from users.models import User
from users.serving_copy import USERS

from . import pulled, selectors, store, tasks
from .index import indexing, mentions, tagged
from .store import Timeline, home_of, timeline_of

# A home may have many tags merged in: Redis serves others between two reads.
AT_ONCE = 400


@dataclass(frozen=True, kw_only=True)
class Timelines(Store):
    """Holds what readers get: with pulled authors and tags merged in."""

    timeline: Callable[[Row], Timeline]
    in_sql: Callable[[Row], StatusQuerySet]

    def differences(self, rows: Sequence[Row]) -> Iterator[Difference]:
        for row in rows:
            timeline = self.timeline(row)
            if store.is_known(timeline):
                held = _read_everything(timeline)
                if wrong := _compare(held, self.in_sql(row)):
                    yield Difference(f"{self.title(row)}: {wrong}", partial(self.forget, [row]))


def _read_everything(timeline: Timeline) -> IdPage:
    ids: list[int] = []
    while True:
        wanted = Range(below=ids[-1] if ids else None, limit=AT_ONCE)
        some, floor = store.read(timeline, wanted, lifetime=0)
        ids += some
        if len(some) < AT_ONCE:
            return IdPage(ids, floor)


def _compare(found: IdPage, rows: StatusQuerySet) -> str:
    """Redis must hold every status down to its floor, and no others."""
    expected = set(rows.filter(id__gte=found.floor).values_list("id", flat=True))
    held = {status_id for status_id in found.ids if status_id >= found.floor}
    extra = held - expected
    return described(
        missing=expected - held, extra=extra - without_trace(extra) if extra else extra
    )


class PullAuthors(LoadedSets):
    """SQL knows who is pulled, only Redis who is just changing over."""

    def agree(self, held: int, expected: int) -> bool:  # noqa: ARG002 - SQL knows one mode
        return held in pulled.MODES

    def repair(self, row: Row, name: str) -> None:  # noqa: ARG002 - it is about the site
        pulled.correct(name)

    def rebuild(self, rows: Sequence[Row], *, also_unread: bool) -> None:  # noqa: ARG002 - as above
        """Forgets nothing: an author who is changing over would lose statuses."""
        self.load(rows)
        for difference in self.differences(rows):
            difference.repair()


class TagCopies(LoadedSets):
    """A partition has a copy once somebody there reads the tag."""

    def rebuild(self, rows: Sequence[Tag], *, also_unread: bool) -> None:
        names = [name for row in rows for name in self.names(row)]
        wanted = names if also_unread else held_among(names)
        self.forget(rows)
        tagged.load(wanted)


class TagAndMentionRows(Store):
    """The rows of tags and mentions: in SQL, but still copies, of what texts say."""

    def differences(self, rows: Sequence[Status]) -> Iterator[Difference]:
        for status_id, wrong in indexing.wrong_with(rows):
            what = f"tags and mentions of status {status_id}: {wrong}"
            yield Difference(what, partial(tasks.index.call, status_id))

    def rebuild(self, rows: Sequence[Status], *, also_unread: bool) -> None:  # noqa: ARG002 - SQL
        for difference in self.differences(rows):
            difference.repair()


def _pull_authors() -> list[str]:
    return [keys.pull_authors(partition) for partition in range(settings.PARTITIONS)]


def _load_pull_authors(_rows: Sequence[None]) -> None:
    for partition, key in enumerate(_pull_authors()):
        pulled.load(partition, key)


def _load_copies(rows: Sequence[User]) -> None:
    for author in rows:
        if author.is_pulled:
            pulled.ensure_copies(author.pk)


register(
    PullAuthors(
        kind="pull_authors",
        about=SITE,
        names=lambda _site: _pull_authors(),
        load=_load_pull_authors,
        in_sql=lambda _site: dict.fromkeys(_pull_authors(), pulled.authors_in_sql()),
    )
)

register(
    LoadedSets(
        kind="pulled",
        label="pulled copy",
        about=USERS,
        names=lambda author: pulled.copy_keys(author.pk),
        load=_load_copies,
        in_sql=pulled.copies_in_sql,
        harmless=without_trace,
    )
)


def _tags_in_sql(tag: Tag) -> dict[str, Loaded]:
    newest = tagged.newest_in_sql(tag.pk, limit=loaded_set.most(tagged.TAG_SIZE))
    return dict.fromkeys(tagged.copies_of(tag.pk), newest)


register(
    TagAndMentionRows(kind="index", about=STATUSES, names=lambda _it: [], load=lambda _rows: None)
)

register(
    TagCopies(
        kind="tag",
        label="copy",
        about=TAGS,
        names=lambda tag: tagged.copies_of(tag.pk),
        load=each(lambda tag: tagged.load(tagged.copies_of(tag.pk))),
        on_demand=True,
        in_sql=_tags_in_sql,
        harmless=without_trace,
    )
)

register_sets(
    USERS,
    SetRow("mentions", keys.mentions, mentions.newest_in_sql, mentions.MENTIONS_SIZE),
    on_demand=True,
    harmless=without_trace,
)
register_sets(
    USERS,
    SetRow("addressees", keys.addressees, mentions.addressees_in_sql, mentions.ADDRESSEES),
    on_demand=True,
)

register(
    Timelines(
        kind="home",
        about=USERS,
        names=lambda user: [keys.home(user.pk)],
        load=each(lambda user: store.build(home_of(user.pk))),
        on_demand=True,
        timeline=lambda user: home_of(user.pk),
        in_sql=lambda user: selectors.home_in_sql(user.pk),
    )
)

register(
    Timelines(
        kind="list",
        label="timeline",
        about=LISTS,
        names=lambda list_: [keys.list_timeline(list_.owner_id, list_.pk)],
        load=each(lambda list_: store.build(timeline_of(list_))),
        on_demand=True,
        timeline=timeline_of,
        in_sql=lambda list_: selectors.list_in_sql(list_.pk),
    )
)
