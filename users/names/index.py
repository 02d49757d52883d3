"""Keeps the words of people's names and bios in SQL, where searches look for their beginnings."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from ..events import names_changed
from .folding import words_in_bio, words_of
from .models import NameWord, Source

if TYPE_CHECKING:
    from ..models import User

AT_ONCE = 1_000
NAMES = (Source.NAME,)
NAMES_AND_BIOS = (Source.NAME, Source.BIO)


def write(users: "Collection[User]") -> None:
    """Makes the words what names and bios say, inside the transaction that wrote the accounts."""
    wanted, held = _wanted(users), _held(users)
    if old := held.keys() - wanted:
        NameWord.objects.filter(pk__in=[held[it] for it in old]).delete()
    rows = [NameWord(**it._asdict()) for it in sorted(wanted - held.keys())]
    NameWord.objects.bulk_create(rows, AT_ONCE, ignore_conflicts=True)
    before, after = _names_by_user(held), _names_by_user(wanted)
    for user_id in before.keys() & after.keys():  # those that had some already
        if before[user_id] != after[user_id]:
            names_changed(user_id, sorted(before[user_id] - after[user_id]))


def matching(terms: Sequence[str], sources: Sequence[Source] = NAMES) -> QuerySet[NameWord]:
    """Words of people who have, for each of the terms (one at least), a word that begins with it.

    By index: the longest term finds them, the others are tried on those found.
    """
    longest, *others = sorted(terms, key=len, reverse=True)
    words = NameWord.objects.filter(source__in=sources)
    rows = words.filter(word__begins_with=longest)
    for term in others:
        rows = rows.filter(Exists(words.filter(user=OuterRef("user"), word__begins_with=term)))
    return rows


def wrong_among(users: "Collection[User]") -> "Iterator[User]":
    """Those whose words are not what their names and bios say. One query."""
    wanted, held = _by_user(_wanted(users)), _by_user(_held(users))
    return (user for user in users if wanted[user.pk] != held[user.pk])


class _Word(NamedTuple):
    user_id: int
    word: str
    source: int


def _wanted(users: "Collection[User]") -> set[_Word]:
    return {it for user in users for it in _words(user)}


def _words(user: "User") -> Iterator[_Word]:
    """One of both counts as one of the name."""
    names = words_of(username=user.username, name=user.name)
    yield from (_Word(user.pk, word, Source.NAME) for word in names)
    yield from (_Word(user.pk, word, Source.BIO) for word in words_in_bio(user.bio) - names)


def _held(users: "Collection[User]") -> dict[_Word, int]:
    rows = NameWord.objects.filter(user__in=[user.pk for user in users])
    columns = rows.values_list("user_id", "word", "source", "pk")
    return {_Word(user_id, word, source): pk for user_id, word, source, pk in columns}


def _names_by_user(words: Collection[_Word]) -> dict[int, set[str]]:
    names = _by_user([it for it in words if it.source == Source.NAME])
    return {user_id: {it.word for it in some} for user_id, some in names.items()}


def _by_user(words: Collection[_Word]) -> defaultdict[int, set[_Word]]:
    found = defaultdict[int, set[_Word]](set)
    for word in words:
        found[word.user_id].add(word)
    return found
