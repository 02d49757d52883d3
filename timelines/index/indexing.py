"""The tags in a status and the people it names, as rows in SQL.

They follow from the text, so they can be written again at any time; only what differs is.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple, TypeVar

from django.db.models import Model
from django.db.models.sql import Query

from statuses.models import Mention, Status, Tagging
from statuses.reading.history import earlier_versions
from statuses.rows import read_rows
from statuses.store import CLOCKS_DIFFER, render
from statuses.stored import StoredStatus
from tags.models import Tag
from users.audience import Visibility
from users.models import User
from web.sql.ready_sql import Insert, execute_later, ready

Row = TypeVar("Row", bound=Model)
K = TypeVar("K")
V = TypeVar("V")
Grouped = defaultdict[int, set[int]]
Pair = tuple[int, int]

FEW = 10


class References(NamedTuple):
    tags: Mapping[str, str]  # by their names, as the status writes them
    people: frozenset[int]  # whom it names or answers, without its author


class Indexed(NamedTuple):
    status: StoredStatus
    tags: set[int]
    people: set[int]
    lost_tags: set[int]  # those that an edit took out
    lost_people: set[int]


def references_of(status: StoredStatus) -> References:
    tags = status.tags if status.visibility == Visibility.PUBLIC else {}
    people = status.people - {status.author_id}
    # Without a name, the account that it answers is gone.
    if not status.reply_to_username:
        people.discard(status.reply_to_author or 0)
    return References(tags, frozenset(people))


def write_rows(status_ids: Collection[int], *, again: bool = True) -> list[Indexed]:
    """Makes the rows of these statuses say what their texts say, inside a transaction.

    The statuses stay locked: an edit or a deletion meanwhile comes after us. Those that are gone
    are left out, since their rows are removed anyway. Statuses that never changed need no `again`:
    there is nothing to remove.
    """
    statuses = [row.status for row in read_rows(status_ids, lock=True)]
    rendered = render(statuses)
    said = {stored.id: references_of(stored) for stored in rendered}
    tags = Tag.objects.ensure(_spellings(said.values()))
    taggings = {(id_, tags[name]) for id_, it in said.items() for name in it.tags}
    mentions = {(id_, user_id) for id_, it in said.items() for user_id in it.people}
    authors = {status.pk: status.author_id for status in statuses}
    lost = _Lost(statuses, taggings, mentions) if again else _NothingLost()
    _insert(Tagging, [{"status_id": id_, "tag_id": it} for id_, it in sorted(taggings)])
    _insert(
        Mention,
        [
            {"status_id": id_, "user_id": user_id, "author_id": authors[id_]}
            for id_, user_id in sorted(mentions)
        ],
    )
    by_tag, by_user = grouped(taggings), grouped(mentions)
    return [
        Indexed(it, by_tag[it.id], by_user[it.id], lost.tags[it.id], lost.people[it.id])
        for it in rendered
    ]


def _spellings(said: Iterable[References]) -> dict[str, str]:
    return {name: written for it in said for name, written in it.tags.items()}


@ready
def _inserted(table: type[Model]) -> Query:
    other = "tag_id" if table is Tagging else "user_id"
    author = () if table is Tagging else ("author_id",)
    return Insert(table, other, "status_id", *author, unless=(other, "status_id"))


def _insert(table: type[Model], rows: Sequence[Mapping[str, int]]) -> None:
    """A few go along with the commit, by SQL that is built once."""
    if len(rows) > FEW:
        table._default_manager.bulk_create([table(**it) for it in rows], ignore_conflicts=True)
        return
    for row in rows:
        execute_later(_inserted(table), **row)


class _Lost:
    """What was in these statuses before: by their rows, which are removed here, and by their
    earlier texts, in case a task died between SQL and Redis.
    """

    def __init__(
        self, statuses: Sequence[Status], taggings: Set[Pair], mentions: Set[Pair]
    ) -> None:
        before = {status.pk: _references_before(status) for status in statuses if status.edited_at}
        names = {name for it in before.values() for name in it.tags}
        ids = dict(Tag.objects.filter(name__in=names).values_list("name", "pk")) if names else {}
        by_name = {(pk, ids[it]) for pk, said in before.items() for it in said.tags if it in ids}
        named = {(pk, user_id) for pk, said in before.items() for user_id in said.people}
        wanted = [status.pk for status in statuses]
        self.tags = grouped((by_name - taggings) | _remove(Tagging, "tag_id", wanted, taggings))
        self.people = grouped((named - mentions) | _remove(Mention, "user_id", wanted, mentions))


class _NothingLost:
    tags: Grouped = defaultdict(set)
    people: Grouped = defaultdict(set)


def _references_before(status: Status) -> References:
    said = [references_of(it) for it in earlier_versions(status)]
    people = frozenset[int]().union(*(it.people for it in said))
    return References(_spellings(said), people)


def _remove(
    table: type[Row], column: str, status_ids: Collection[int], wanted: Set[Pair]
) -> set[Pair]:
    rows = table._default_manager.filter(status_id__in=status_ids)
    held = {
        (status_id, other): pk
        for pk, status_id, other in rows.values_list("pk", "status_id", column)
    }
    old = held.keys() - wanted
    if old:
        rows.filter(pk__in=[held[pair] for pair in old]).delete()
    return old


def wrong_with(statuses: Sequence[Status]) -> Iterator[tuple[int, str]]:
    """Yields statuses whose rows differ from their texts, and how. A few queries for all."""
    ids = [status.pk for status in statuses]
    taggings = Tagging.objects.filter(status_id__in=ids).values_list("status_id", "tag__name")
    named = Mention.objects.filter(status_id__in=ids).values_list("status_id", "user_id")
    tags, people = grouped(taggings), grouped(named)
    for stored in render(statuses):
        said, held = references_of(stored), people[stored.id]
        if tags[stored.id] != said.tags.keys():
            yield stored.id, "the tags differ from its text"
        if held - said.people or _were_there(said.people - held, stored):
            yield stored.id, "the people differ from its text"


def _were_there(people: Collection[int], status: StoredStatus) -> bool:
    """Was one of them meant? An account that took a name later was not."""
    if not people:
        return False
    written = status.edited_at or status.posted_at
    return User.objects.filter(pk__in=people, date_joined__lt=written + CLOCKS_DIFFER).exists()


def grouped(pairs: Iterable[tuple[K, V]]) -> defaultdict[K, set[V]]:
    groups = defaultdict[K, set[V]](set)
    for name, member in pairs:
        groups[name].add(member)
    return groups
