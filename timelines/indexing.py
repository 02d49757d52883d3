"""The tags in a status and the people it names, as rows in SQL.

They follow from the text, so they can be written again at any time; only what differs is.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from django.db.models import Model

from statuses.models import Mention, Status, Tag, Tagging
from statuses.store import render
from statuses.stored import StoredStatus
from statuses.tags import fold
from users.audience import Visibility

Row = TypeVar("Row", bound=Model)
K = TypeVar("K")
V = TypeVar("V")
Grouped = defaultdict[int, set[int]]
Pair = tuple[int, int]


class Said(NamedTuple):
    """What a status refers to."""

    tags: Mapping[str, str]
    """By their names, as the status writes them."""

    people: frozenset[int]
    """Whom it names or answers, without its author."""


class Change(NamedTuple):
    """The tags and people that a status has gained or lost."""

    status_id: int
    author_id: int
    tag_ids: list[int]
    user_ids: list[int]


def said_by(status: StoredStatus) -> Said:
    found = status.found
    # Backwards, so that the first spelling stays.
    tags = {fold(it.value): it.value for it in reversed(found) if it.kind == "hashtag"}
    if status.visibility != Visibility.PUBLIC:
        tags = {}
    people = {it.account.id for it in found if it.account}
    # Without a name, the account that it answers is gone.
    if status.reply_to_author and status.reply_to_username:
        people.add(status.reply_to_author)
    return Said(tags, frozenset(people - {status.author_id}))


def write_rows(status_ids: Collection[int]) -> list[Change]:
    """Inside a transaction: make the rows of these statuses say what their texts say.

    The statuses stay locked: an edit or a deletion meanwhile comes after us. Those that are gone
    are left out, since their rows are removed anyway.
    """
    locked = Status.objects.select_for_update(of=("self",), no_key=True)
    statuses = list(locked.filter(pk__in=status_ids).with_names().order_by("pk"))
    said = {stored.id: said_by(stored) for stored in render(statuses)}
    tags = _replace(Tagging, "tag_id", said, _taggings(said))
    people = _replace(Mention, "user_id", said, _mentions(statuses, said))
    return [
        Change(status.pk, status.author_id, sorted(tags[status.pk]), sorted(people[status.pk]))
        for status in statuses
        if tags[status.pk] or people[status.pk]
    ]


def _taggings(said: Mapping[int, Said]) -> dict[Pair, Tagging]:
    written = {name: spelling for it in said.values() for name, spelling in it.tags.items()}
    ids = ensure_tags(written)
    pairs = [(status_id, ids[name]) for status_id, it in said.items() for name in it.tags]
    return {pair: Tagging(status_id=pair[0], tag_id=pair[1]) for pair in pairs}


def _mentions(statuses: Iterable[Status], said: Mapping[int, Said]) -> dict[Pair, Mention]:
    return {
        (it.pk, user_id): Mention(status_id=it.pk, user_id=user_id, author_id=it.author_id)
        for it in statuses
        for user_id in said[it.pk].people
    }


def _replace(
    table: type[Row], column: str, status_ids: Collection[int], wanted: Mapping[Pair, Row]
) -> Grouped:
    """Make these the rows of the statuses; returns what each has gained or lost."""
    rows = table._default_manager.filter(status_id__in=status_ids)
    held = {
        (status_id, other): pk
        for pk, status_id, other in rows.values_list("pk", "status_id", column)
    }
    new, old = wanted.keys() - held.keys(), held.keys() - wanted.keys()
    table._default_manager.bulk_create([wanted[pair] for pair in sorted(new)])
    if old:
        rows.filter(pk__in=[held[pair] for pair in old]).delete()
    return grouped(new | old)


def wrong_with(statuses: Sequence[Status]) -> Iterator[tuple[int, str]]:
    """The statuses whose rows differ from their texts, and what is wrong. A few queries for all."""
    ids = [status.pk for status in statuses]
    taggings = Tagging.objects.filter(status_id__in=ids).values_list("status_id", "tag__name")
    named = Mention.objects.filter(status_id__in=ids).values_list("status_id", "user_id")
    tags, people = grouped(taggings), grouped(named)
    for stored in render(statuses):
        said = said_by(stored)
        if tags[stored.id] != said.tags.keys():
            yield stored.id, "the tags differ from its text"
        if people[stored.id] != said.people:
            yield stored.id, "the people differ from its text"


def ensure_tags(written: Mapping[str, str]) -> dict[str, int]:
    """Ids by name; tags that are new are made. `written`: as somebody spells them now, or empty
    where nobody has used the tag.
    """
    tags = Tag.objects.in_bulk(list(written), field_name="name")
    # Always in one order, so that no two transactions wait for each other.
    if missing := sorted(written.keys() - tags.keys()):
        new = [Tag(name=name, written=written[name]) for name in missing]
        Tag.objects.bulk_create(new, ignore_conflicts=True)
        tags |= Tag.objects.in_bulk(missing, field_name="name")
    for name in sorted(name for name, tag in tags.items() if written[name] and not tag.written):
        Tag.objects.filter(name=name, written="").update(written=written[name])
    return {name: tag.pk for name, tag in tags.items()}


def delete_rows(status_ids: Collection[int]) -> None:
    """Of deleted statuses."""
    for table in (Tagging, Mention):
        table._default_manager.filter(status_id__in=status_ids).delete()


def grouped(pairs: Iterable[tuple[K, V]]) -> defaultdict[K, set[V]]:
    groups = defaultdict[K, set[V]](set)
    for name, member in pairs:
        groups[name].add(member)
    return groups
