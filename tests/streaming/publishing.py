"""Events about statuses that need not exist, published as the site does."""

from collections.abc import Collection

from redistools.client import get_client
from redistools.scripts import Batch
from statuses import store
from statuses.stored import StoredStatus
from streaming import publishing
from streaming.consequences import facts_of_each
from users.audience import Reach


def stored(status_id: int, *, author_id: int = 7, text: str = "hello") -> StoredStatus:
    return StoredStatus(
        id=status_id,
        author_id=author_id,
        username=f"user{author_id}",
        name="",
        avatar="",
        text="",
        language="",
    ).saying(text)


def publish_posts(statuses: Collection[StoredStatus]) -> list[int]:
    """Their positions."""
    batch = Batch(get_client())
    for status in statuses:
        publishing.add_post(batch, status, reach=Reach.EVERYBODY)
    return [int(position) for position in batch.run() if position]


def publish_deletions(author_id: int, status_ids: Collection[int]) -> None:
    batch = Batch(get_client())
    known = facts_of_each(store.read_statuses(status_ids))
    publishing.add_deletions(batch, author_id, status_ids, known, reach=Reach.EVERYBODY)
    batch.run()
