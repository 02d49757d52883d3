"""django-redis on our own client, so that cache and sessions reach Sentinel and Cluster too."""

from typing import Any

from .client import Client, get_binary_client


class ConnectionFactory:
    """Hands the process's one binary client to django-redis, which would open a pool of its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        """django-redis passes its options; ours come from the settings."""

    def connect(self, url: str) -> Client:  # noqa: ARG002 - django-redis' signature
        return get_binary_client()

    def disconnect(self, connection: Client) -> None:
        """The client is shared by the whole process and stays open."""
