"""Everybody who listens to this process, and who of them gets an event. No input or output here."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from . import events
from .client import Client
from .event import Event
from .index import Index
from .notices import Goodbye
from .turns import Turns


class Hub:
    def __init__(self) -> None:
        self.clients: set[Client] = set()
        self.position = 0
        """The newest event that was handed on; 0 as long as there has been none at all."""
        self.has_begun = False
        self.is_subscribed = False
        self.is_stopping = False
        self.suspended: frozenset[int] = frozenset()
        """Accounts whose statuses nobody gets now."""
        self.turns = Turns()
        self._index: Index[Client] = Index()
        self._live: set[Client] = set()
        self._homes: defaultdict[int, set[Client]] = defaultdict(set)

    def join(self, client: Client) -> None:
        """From now on it can be closed and learns of follows; events come when it goes live."""
        self.clients.add(client)
        if client.home_of is not None:
            self._homes[client.home_of].add(client)

    def go_live(self, client: Client, *, after: int) -> None:
        """Every event after this position, each once."""
        client.position = after
        self._live.add(client)
        self._index.add(client, client.wanted)

    def leave(self, client: Client) -> None:
        self.clients.discard(client)
        self._live.discard(client)
        self._index.remove(client)
        if client.home_of is not None:
            self._homes[client.home_of].discard(client)
            if not self._homes[client.home_of]:
                del self._homes[client.home_of]

    def dispatch(self, event: Event) -> None:
        """Costs as much as the event has matches."""
        self.position = event.position
        if event.kind == events.POST and self.suspended:
            if event.subject.author_id in self.suspended:
                return
            event = event.without_mentions(self.suspended.__contains__)
        if event.is_about_a_status:
            for client in self._index.find(event.subject):
                client.offer(event)
        elif event.kind in (events.FOLLOW, events.UNFOLLOW):
            self._change_homes(event)

    def keep_alive(self, client: Client) -> None:
        if client in self._live:
            # Whatever came before the hub's position was not for this client, or is in its buffer.
            client.position = self.position
        client.keep_alive()

    def close_where(
        self, is_meant: Callable[[Client], bool], goodbye: Goodbye, reason: str
    ) -> None:
        for client in self.clients:
            if is_meant(client):
                client.close(goodbye, reason)

    def stop(self) -> None:
        """Tell everybody that we are going down; whoever comes now is sent away."""
        self.is_stopping = True
        reason = "The server is shutting down: connect again."
        self.close_where(lambda _client: True, Goodbye.SHUTDOWN, reason)

    def _change_homes(self, event: Event) -> None:
        author_id: int = event.data["followee"]
        for client in self._homes.get(event.data["follower"], ()):
            self._change_home(client, author_id, follows=event.kind == events.FOLLOW)

    def _change_home(self, client: Client, author_id: int, *, follows: bool) -> None:
        authors = client.wanted.authors
        authors = authors | {author_id} if follows else authors - {author_id}
        client.wanted = replace(client.wanted, authors=authors)
        client.follows_changed += 1
        if client in self._live:
            change = self._index.add_author if follows else self._index.remove_author
            change(client, author_id)
