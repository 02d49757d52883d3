"""Finds the streams of searches that want a status: each is looked at by few."""

from collections import defaultdict, deque
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from ..asked.searches import LiveSearch, searching
from ..event import StreamEvent

Stream = TypeVar("Stream", bound=Hashable)

# Newer ones that a stream got; it learns of their edits and deletions.
KNOWN = 200


class SearchIndex(Generic[Stream]):
    """Files each stream under the anchors of its search."""

    def __init__(self) -> None:
        self._searches: dict[Stream, LiveSearch] = {}
        self._by_anchor: defaultdict[str, set[Stream]] = defaultdict(set)
        self._known: defaultdict[Stream, deque[int]] = defaultdict(deque)
        self._knowing: defaultdict[int, set[Stream]] = defaultdict(set)

    def add(self, stream: Stream, search: LiveSearch) -> None:
        self._searches[stream] = search
        for anchor in search.anchors:
            self._by_anchor[anchor].add(stream)

    def remove(self, stream: Stream) -> None:
        search = self._searches.pop(stream, None)
        for anchor in search.anchors if search else ():
            _take_out(self._by_anchor, anchor, stream)
        for status_id in self._known.pop(stream, ()):
            _take_out(self._knowing, status_id, stream)

    def find(self, event: StreamEvent) -> set[Stream]:
        """A text is cut only if somebody searches, and not at all for a deletion."""
        if not self._searches:
            return set()
        found = set(self._knowing.get(event.facts.id, ()))
        return found | self._matching(event) if event.has_status else found

    def remember(self, stream: Stream, status_id: int) -> None:
        if status_id in self._known[stream]:
            return
        if len(self._known[stream]) >= KNOWN:
            _take_out(self._knowing, self._known[stream].popleft(), stream)
        self._known[stream].append(status_id)
        self._knowing[status_id].add(stream)

    def _matching(self, event: StreamEvent) -> set[Stream]:
        if not event.facts.is_findable:
            return set()
        cut = searching().cut(event.status)
        anchors = cut.anchors & self._by_anchor.keys()
        candidates = {it for anchor in anchors for it in self._by_anchor[anchor]}
        return {it for it in candidates if self._searches[it].fits(cut.document)}


def _take_out(groups: defaultdict[Any, set[Stream]], name: Hashable, stream: Stream) -> None:
    groups[name].discard(stream)
    if not groups[name]:
        del groups[name]
