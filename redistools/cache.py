"""django-redis on our own client, so that Django's cache reaches Sentinel and Cluster too."""

from collections.abc import Collection
from typing import Any

from django_redis.client import DefaultClient

from .chunks import chunks
from .client import Client, get_binary_client
from .keys import cache_entries

CLEAR_AT_ONCE = 500
# What `json` may raise, for any bytes.
UNREADABLE = (ValueError, RecursionError)


class ConnectionFactory:
    """Hands the process's one binary client to django-redis, which would open a pool of its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        """django-redis passes its options; ours come from the settings."""

    def connect(self, url: str) -> Client:  # noqa: ARG002 - django-redis' signature
        return get_binary_client()

    def disconnect(self, connection: Client) -> None:
        """The client is shared by the whole process and stays open."""


class CacheClient(DefaultClient):  # type: ignore[misc] # django-redis ships no types
    """Overrides what assumes a single server, or one that holds nothing but the cache."""

    def clear(self, client: Client | None = None) -> None:
        """Deletes the cache's own keys, by SCAN; django-redis would flush the whole database."""
        client = client or self.get_client(write=True)
        pattern = cache_entries(self._backend.key_prefix)
        found = client.scan_iter(match=pattern, count=CLEAR_AT_ONCE)
        for some in chunks(found, CLEAR_AT_ONCE):
            client.unlink(*some)

    def get(
        self,
        key: str,
        default: Any = None,
        version: int | None = None,
        client: Client | None = None,
    ) -> Any:
        """Values that are no JSON count as missing."""
        try:
            return super().get(key, default, version, client)
        except UNREADABLE:
            return default

    def get_many(
        self,
        keys: Collection[str],
        version: int | None = None,
        client: Client | None = None,
    ) -> dict[str, Any]:
        """By a pipeline: MGET takes keys of one slot alone. One round trip, or one to each node."""
        names = {self.make_key(key, version=version): key for key in keys}
        pipeline = (client or self.get_client(write=False)).pipeline(transaction=False)
        for name in names:
            pipeline.get(name)
        found = zip(names.values(), pipeline.execute(), strict=True)
        return {key: self.decode(value) for key, value in found if value is not None}
