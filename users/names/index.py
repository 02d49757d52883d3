"""Keeps the words of people's names in SQL, where searches look for their beginnings."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, QuerySet

from .folding import words_of
from .models import NameWord

if TYPE_CHECKING:
    from ..models import User

AT_ONCE = 1_000


def write(users: "Collection[User]") -> None:
    """Makes the words what the names say, inside the transaction that wrote their accounts."""
    wanted, held = _wanted(users), _held(users)
    new = sorted(wanted - held.keys())
    rows = [NameWord(user_id=user_id, word=word) for user_id, word in new]
    NameWord.objects.bulk_create(rows, AT_ONCE, ignore_conflicts=True)
    if old := held.keys() - wanted:
        NameWord.objects.filter(pk__in=[held[it] for it in old]).delete()


def matching(terms: Sequence[str]) -> QuerySet[NameWord]:
    """Words of people who have, for each of the terms (one at least), a word that begins with it.

    By index: the longest term finds them, the others are tried on those found.
    """
    longest, *others = sorted(terms, key=len, reverse=True)
    rows = NameWord.objects.filter(word__begins_with=longest)
    for term in others:
        same = NameWord.objects.filter(user=OuterRef("user"), word__begins_with=term)
        rows = rows.filter(Exists(same))
    return rows


def wrong_among(users: "Collection[User]") -> "Iterator[User]":
    """Those whose words are not what their names say. One query."""
    wanted, held = _by_user(_wanted(users)), _by_user(_held(users))
    return (user for user in users if wanted[user.pk] != held[user.pk])


Pair = tuple[int, str]


def _wanted(users: "Collection[User]") -> set[Pair]:
    words = {user.pk: words_of(username=user.username, name=user.name) for user in users}
    return {(user_id, word) for user_id, found in words.items() for word in found}


def _held(users: "Collection[User]") -> dict[Pair, int]:
    rows = NameWord.objects.filter(user__in=[user.pk for user in users])
    return {(user_id, word): pk for pk, user_id, word in rows.values_list("pk", "user_id", "word")}


def _by_user(pairs: Collection[Pair]) -> defaultdict[int, set[str]]:
    words = defaultdict[int, set[str]](set)
    for user_id, word in pairs:
        words[user_id].add(word)
    return words
