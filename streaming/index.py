"""Finds the clients that want a status. The cost grows with the matches, not with the clients."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, Generic, TypeVar

from .matching import Filter, Subject
from .places import BoxIndex
from .words import Phrase

Client = TypeVar("Client", bound=Hashable)
Groups = defaultdict[Any, set[Client]]


class Index(Generic[Client]):
    """Every client under each thing that it asked for; same results as `matching.matches`."""

    def __init__(self) -> None:
        self._filters: dict[Client, Filter] = {}
        self._samples: Groups[Client] = defaultdict(set)
        self._follows: Groups[Client] = defaultdict(set)
        self._authors: Groups[Client] = defaultdict(set)
        self._phrases: Groups[Client] = defaultdict(set)
        # A phrase stands under one of its terms: only texts with that term ask for the others.
        self._anchors: defaultdict[str, set[Phrase]] = defaultdict(set)
        self._boxes: BoxIndex[Client] = BoxIndex()
        self._choosy: set[Client] = set()

    def __len__(self) -> int:
        return len(self._filters)

    def find(self, status: Subject) -> set[Client]:
        found: set[Client] = set()
        for percent, clients in self._samples.items():
            if status.bucket < percent:
                found |= clients
        for phrase in self._phrases_in(status):
            found |= self._phrases[phrase]
        for user_id in status.concerned & self._follows.keys():
            found |= self._follows[user_id]
        found |= self._authors.get(status.author_id, set())
        if status.place is not None:
            found.update(self._boxes.owners_at(status.place))
        return found - self._put_off_by_language(found, status)

    def add(self, client: Client, wanted: Filter) -> None:
        self._filters[client] = wanted
        for groups, name in self._groups_of(wanted):
            groups[name].add(client)
        for phrase in wanted.track:
            self._anchors[_anchor(phrase)].add(phrase)
        for box in wanted.boxes:
            self._boxes.add(box, client)
        if wanted.languages:
            self._choosy.add(client)

    def remove(self, client: Client) -> None:
        """Of a client that is not there: nothing."""
        wanted = self._filters.pop(client, Filter())
        for groups, name in self._groups_of(wanted):
            _take_out(groups, name, client)
        for phrase in wanted.track - self._phrases.keys():
            _take_out(self._anchors, _anchor(phrase), phrase)
        for box in wanted.boxes:
            self._boxes.remove(box, client)
        self._choosy.discard(client)

    def add_author(self, client: Client, author_id: int) -> None:
        wanted = self._filters[client]
        self._filters[client] = replace(wanted, authors=wanted.authors | {author_id})
        self._authors[author_id].add(client)

    def remove_author(self, client: Client, author_id: int) -> None:
        wanted = self._filters[client]
        self._filters[client] = replace(wanted, authors=wanted.authors - {author_id})
        _take_out(self._authors, author_id, client)

    def _groups_of(self, wanted: Filter) -> Iterator[tuple[Groups[Client], Hashable]]:
        if wanted.percent:
            yield self._samples, wanted.percent
        for phrase in wanted.track:
            yield self._phrases, phrase
        for user_id in wanted.follow:
            yield self._follows, user_id
        for user_id in wanted.authors:
            yield self._authors, user_id

    def _phrases_in(self, status: Subject) -> Iterator[Phrase]:
        for word in status.words & self._anchors.keys():
            for phrase in self._anchors[word]:
                if phrase <= status.words:
                    yield phrase

    def _put_off_by_language(self, found: set[Client], status: Subject) -> set[Client]:
        return {
            client
            for client in found & self._choosy
            if not self._filters[client].languages & status.languages
        }


def _anchor(phrase: Phrase) -> str:
    """The longest term: most likely the rarest."""
    return max(phrase, key=lambda term: (len(term), term))


def _take_out(groups: defaultdict[Any, set[Any]], name: Hashable, member: Hashable) -> None:
    groups[name].discard(member)
    if not groups[name]:
        del groups[name]
