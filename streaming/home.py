"""Whose statuses a home stream carries: the reader's own, and of those whom they follow."""

from dataclasses import replace

from relations import store as edges

from .client import Client
from .threads import in_thread


async def load_authors(client: Client) -> None:
    """Read again where a follow or unfollow came in between: it may be missing in the answer."""
    reader_id = client.visitor.user_id
    while True:
        changes = client.follows_changed
        followed = await in_thread(edges.following_ids, reader_id)
        if client.follows_changed == changes:
            break
    client.wanted = replace(client.wanted, authors=frozenset([*followed, reader_id]))
