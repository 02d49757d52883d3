"""Who has an interest, and who speaks a language: in Redis, sets that scripts intersect.

A set holds those of one partition, so all sets of a partition share a slot. People enter as their
number among those of the partition, shifted so that the first 65,535 fit into two bytes: such a set
is one block of memory, as long as `set-max-intset-entries` lets it be. Every set has the mark, so
that one of nobody is there too: a set that is missing is unknown, and read from SQL.

It is read into another set, which takes its place at the end. Meanwhile a token stands beside it.
Whoever changes somebody takes that away, and what was read, maybe before, is not kept.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from django.conf import settings

from redistools import keys, loaded_set
from redistools.chunks import chunks
from redistools.client import fail_if_away, get_client
from redistools.loaded_set import LoadFailed, Unknown
from redistools.scripts import Batch, Script
from redistools.writing_until_stable import write_until_stable
from tags.models import Interest, SpokenLanguage

# The id of a tag, or the code of a language.
Term = int | str

LOWEST = -(2**15)
MARK = LOWEST
# One part keeps Redis busy for well under a millisecond.
PART = 1_000
ATTEMPTS = 20
# A reading that takes longer begins again.
LOAD_SECONDS = 300

_open = Script(__file__, "open_interests")
_close = Script(__file__, "close_interests")
_place = Script(__file__, "place_interest")
_find = Script(__file__, "find_interested")


def name_of(partition: int, term: Term) -> str:
    if isinstance(term, int):
        return keys.interests(partition, term)
    return keys.speakers(partition, term)


def number_of(user_id: int) -> int:
    return user_id // settings.PARTITIONS + MARK + 1


def user_of(number: int, partition: int) -> int:
    return (number - MARK - 1) * settings.PARTITIONS + partition


def partitions() -> range:
    return range(settings.PARTITIONS)


def find(
    tags: Sequence[Term], languages: Sequence[Term], *, least: int, most: int
) -> list[list[int]]:
    """Users by the number of their tags among these, from all of them down to `least`; those found
    first, if there are more than about `most`. They speak all the languages.

    One round trip if the sets are known. In each partition one script: as much work as the smallest
    set of each combination is long. Where very many fit, it stops after the lowest numbers.
    """

    def read() -> list[list[int]] | Unknown:
        batch = Batch(get_client())
        arguments = [len(languages), least, -(-most // settings.PARTITIONS), MARK]
        for partition in partitions():
            names = [name_of(partition, it) for it in (*languages, *tags)]
            batch.call(_find, [keys.lowest_numbers(partition), *names], arguments)
        return _joined(batch.run(), len(tags) - least + 1)

    return loaded_set.until_known(read, lambda _unknown: load([*tags, *languages]))


def _joined(answers: Sequence[list[list[str]] | None], levels: int) -> list[list[int]] | Unknown:
    found: list[list[int]] = [[] for _ in range(levels)]
    for partition, answer in enumerate(answers):
        if answer is None:
            return Unknown([f"sets of partition {partition}"])
        for users, numbers in zip(found, answer, strict=True):
            users += [user_of(int(it), partition) for it in numbers]
    return found


def place(user_id: int, terms: Collection[Term]) -> None:
    """Makes Redis say what SQL says of this user: call it after commit. Sets that Redis does not
    have stay away. Two queries of each kind and one round trip.
    """
    fail_if_away()
    partition = keys.partition(user_id)

    def write(had: frozenset[Term]) -> None:
        batch = Batch(get_client())
        for term in terms:
            names = [name_of(partition, term), keys.interest_load(partition, term)]
            batch.call(_place, names, [number_of(user_id), int(term in had)])
        batch.run()

    write_until_stable(partial(_terms_of, user_id, terms), write)


def _terms_of(user_id: int, terms: Collection[Term]) -> frozenset[Term]:
    tags = Interest.objects.filter(user_id=user_id, tag_id__in=tags_among(terms))
    codes = SpokenLanguage.objects.filter(user_id=user_id, code__in=languages_among(terms))
    return frozenset(
        [*tags.values_list("tag_id", flat=True), *codes.values_list("code", flat=True)]
    )


def tags_among(terms: Iterable[Term]) -> list[int]:
    return [it for it in terms if isinstance(it, int)]


def languages_among(terms: Iterable[Term]) -> list[str]:
    return [it for it in terms if isinstance(it, str)]


def load(terms: Iterable[Term]) -> None:
    """Reads from SQL what Redis does not have. Two round trips for each term, and one for each
    20,000 people.
    """
    for term in terms:
        if not any(_load(term) for _ in range(ATTEMPTS)):
            raise LoadFailed(f"interest {term} changed during each of {ATTEMPTS} attempts")


def _load(term: Term) -> bool:
    """False if somebody has changed meanwhile."""
    tokens = _open_all(term)
    members = in_sql(term) if tokens else {}
    kept = [_fill(term, it, token, members.get(it, ())) for it, token in tokens.items()]
    return all(kept)


def _open_all(term: Term) -> dict[int, str]:
    """The tokens of the partitions that lack the set."""
    batch = Batch(get_client())
    for partition in partitions():
        names = [name_of(partition, term), keys.interest_load(partition, term)]
        batch.call(_open, names, [secrets.token_hex(4), LOAD_SECONDS])
    return {it: token for it, token in enumerate(batch.run()) if token is not None}


def in_sql(term: Term) -> Mapping[int, list[int]]:
    """The numbers of those who have it, by partition, in order. One query, by an index alone."""
    rows = (
        Interest.objects.filter(tag_id=term)
        if isinstance(term, int)
        else SpokenLanguage.objects.filter(code=term)
    )
    found: dict[int, list[int]] = defaultdict(list)
    for user_id in rows.order_by("user_id").values_list("user_id", flat=True).iterator():
        found[keys.partition(user_id)].append(number_of(user_id))
    return found


def _fill(term: Term, partition: int, token: str, numbers: Sequence[int]) -> bool:
    """False if somebody in it has changed meanwhile."""
    part = keys.interest_part(partition, f"{term}:{secrets.token_hex(4)}")
    names = [name_of(partition, term), keys.interest_load(partition, term), part]
    batch = Batch(get_client())
    for some in chunks([MARK, *numbers], PART):
        batch.add("SADD", part, *some)
        batch.add("EXPIRE", part, LOAD_SECONDS)
    batch.fence()
    batch.call(_close, names, [token, len(numbers) + 1])
    return bool(batch.run()[-1])


def forget(terms: Iterable[Term]) -> None:
    """Also what is being read. One round trip."""
    batch = Batch(get_client())
    for term in terms:
        for partition in partitions():
            batch.add("UNLINK", keys.interest_load(partition, term))
            batch.add("UNLINK", name_of(partition, term))
    batch.run()
