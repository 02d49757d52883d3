"""Loaded sets whose members are their own scores. A dictionary stands in for SQL."""

from collections.abc import Callable
from functools import partial

from redistools import loaded_set
from redistools.client import Client
from redistools.loaded_set import IdPage, Loaded, Range
from redistools.scripts import Batch

EVERYTHING = Range(limit=1_000)
NO_CAP = 1_000


def rows(*ids: int, whole: bool = True) -> Loaded:
    """Members that are their own scores."""
    return Loaded(dict(zip(ids, ids, strict=True)), whole=whole)


def fill(client: Client, key: str, *ids: int, whole: bool = True) -> None:
    loaded_set.load(client, key, partial(rows, *ids, whole=whole))


def everything(client: Client, key: str) -> IdPage | None:
    """None if it is unknown."""
    if not loaded_set.known(client, [key]):
        return None
    return loaded_set.page(client, key, EVERYTHING, never)


def put(client: Client, key: str, *ids: int, cap: int = NO_CAP) -> None:
    batch = Batch(client)
    for member in ids:
        loaded_set.put(batch, key, member, member, cap=cap)
    batch.run()


def drop(client: Client, key: str, *ids: int) -> None:
    batch = Batch(client)
    loaded_set.drop(batch, key, ids)
    batch.run()


def write_pair(client: Client, key: str, other: str, member: int, *, score: int | None) -> None:
    batch = Batch(client)
    loaded_set.write_pair(batch, (key, member), (other, member), score=score)
    batch.run()


def put_both(client: Client, key: str, other: str, member: int) -> None:
    write_pair(client, key, other, member, score=member)


def drop_both(client: Client, key: str, other: str, member: int) -> None:
    write_pair(client, key, other, member, score=None)


def is_whole(client: Client, key: str) -> bool:
    held = loaded_set.contents(client, [key]).get(key)
    return held is not None and held.whole


def never() -> Loaded:
    raise AssertionError("SQL was read")


class Sql:
    """Returns the answers in turn; before each but the last, something happens in Redis."""

    def __init__(self, *answers: Loaded, meanwhile: Callable[[], object]) -> None:
        self.answers = list(answers)
        self._meanwhile = meanwhile

    def __call__(self) -> Loaded:
        answer = self.answers.pop(0)
        if self.answers:
            self._meanwhile()
        return answer
