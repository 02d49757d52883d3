"""Authors with too many followers for a fan-out: we merge their statuses in when a follower reads.

Each partition has a copy of their newest ids, so a read stays inside its partition, and posting
costs one write per partition, for ten followers or ten million. Each partition also knows by itself
which authors are pulled, so a fan-out or a read never sees a half-way state:

    mode 1  pull: new statuses go to the copies alone
    mode 2  both: they are pushed to homes as well, while the author changes over
"""

from collections.abc import Collection
from functools import partial

from django.conf import settings

from redistools import keys, loaded_set
from redistools.client import get_client
from redistools.loaded_set import Loaded
from redistools.scripts import Batch
from users.models import User

from .collecting import collect, collect_from_sql

PULLED_SIZE = 800
PULL, BOTH = MODES = 1, 2
# An author returns to push only well below the threshold, not with each follower that leaves.
COMING_BACK = 0.8


def should_be_pulled(author: User) -> bool:
    threshold = settings.PULL_THRESHOLD
    if threshold == 0:
        return False
    if author.is_pulled:
        return bool(author.followers_count >= COMING_BACK * threshold)
    return bool(author.followers_count > threshold)


def load(partition: int, key: str) -> None:
    if key == keys.pull_authors(partition):
        loaded_set.load(get_client(), key, authors_in_sql, for_ever=True)
    else:
        author_id = int(key.removeprefix(keys.pulled(partition)))
        newest = partial(collect, [author_id], limit=PULLED_SIZE)
        loaded_set.load(get_client(), key, newest, for_ever=True)


def ensure_copies(author_id: int) -> None:
    for partition in range(settings.PARTITIONS):
        load(partition, f"{keys.pulled(partition)}{author_id}")


def set_mode(author_id: int, mode: int | None) -> None:
    """Changes every partition; None ends pulling. Atomic for each, one round trip."""
    batch = Batch(get_client())
    for partition in range(settings.PARTITIONS):
        key = keys.pull_authors(partition)
        if mode is None:
            loaded_set.drop(batch, key, [author_id])
            batch.add("UNLINK", f"{keys.pulled(partition)}{author_id}")
        else:
            loaded_set.put(batch, key, author_id, mode, cap=2**31)
    batch.run()


def is_known(author_id: int) -> bool:
    """Does any partition pull the author, whatever SQL says? One round trip, O(n) in all such."""
    names = [keys.pull_authors(partition) for partition in range(settings.PARTITIONS)]
    held = loaded_set.contents(get_client(), names).values()
    return any(author_id in authors.scores for authors in held)


def remove_statuses(batch: Batch, author_id: int, status_ids: Collection[int]) -> None:
    for key in copy_keys(author_id):
        loaded_set.drop(batch, key, status_ids)


def correct(key: str) -> None:
    """Makes a partition know the same authors as SQL. Modes stay: SQL can't express `BOTH`."""
    held = loaded_set.contents(get_client(), [key]).get(key, Loaded({})).scores
    wanted = authors_in_sql().scores
    batch = Batch(get_client())
    for author_id in wanted:
        if held.get(author_id) not in MODES:
            loaded_set.put(batch, key, author_id, PULL, cap=2**31)
    if extra := held.keys() - wanted.keys():
        loaded_set.drop(batch, key, extra)
    batch.run()


def copies_in_sql(author: User) -> dict[str, Loaded]:
    """What each partition should have; empty for an author who is not pulled."""
    if not author.is_pulled:
        return {}
    newest = collect_from_sql([author.pk], limit=loaded_set.most(PULLED_SIZE))
    return dict.fromkeys(copy_keys(author.pk), newest)


def copy_keys(author_id: int) -> list[str]:
    return [f"{keys.pulled(partition)}{author_id}" for partition in range(settings.PARTITIONS)]


def authors_in_sql() -> Loaded:
    authors = User.objects.filter(is_pulled=True).values_list("id", flat=True)
    return Loaded(dict.fromkeys(authors, PULL))
