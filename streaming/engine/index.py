"""Finds the streams that want a status. The cost grows with the matches, not with the streams."""

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, Generic, TypeVar

from statuses.words.terms import Phrase

from ..asked.matching import Filter
from ..event import StatusFacts
from .boxes import BoxIndex

Stream = TypeVar("Stream", bound=Hashable)
Groups = defaultdict[Any, set[Stream]]


class StreamIndex(Generic[Stream]):
    """Files each stream under everything it asked for; finds the same as `matching.matches`."""

    def __init__(self) -> None:
        self._filters: dict[Stream, Filter] = {}
        self._samples: Groups[Stream] = defaultdict(set)
        self._follows: Groups[Stream] = defaultdict(set)
        self._authors: Groups[Stream] = defaultdict(set)
        self._tags: Groups[Stream] = defaultdict(set)
        self._phrases: Groups[Stream] = defaultdict(set)
        # A phrase stands under one of its terms: only texts with that are checked for the rest.
        self._anchors: defaultdict[str, set[Phrase]] = defaultdict(set)
        self._boxes: BoxIndex[Stream] = BoxIndex()
        self._choosy: set[Stream] = set()

    def find(self, status: StatusFacts) -> set[Stream]:
        found: set[Stream] = set()
        for percent, streams in self._samples.items():
            if status.bucket < percent:
                found |= streams
        for phrase in self._phrases_in(status):
            found |= self._phrases[phrase]
        for user_id in status.concerned & self._follows.keys():
            found |= self._follows[user_id]
        found |= self._authors.get(status.author_id, set())
        for tag in status.tags & self._tags.keys():
            found |= self._tags[tag]
        if status.place is not None:
            found.update(self._boxes.owners_at(status.place))
        return found - self._put_off_by_language(found, status)

    def find_homes(self, author_id: int) -> set[Stream]:
        return self._authors.get(author_id, set())

    def add(self, stream: Stream, wanted: Filter) -> None:
        self._filters[stream] = wanted
        for groups, name in self._groups_of(wanted):
            groups[name].add(stream)
        for phrase in wanted.track:
            self._anchors[_anchor(phrase)].add(phrase)
        for box in wanted.boxes:
            self._boxes.add(box, stream)
        if wanted.languages:
            self._choosy.add(stream)

    def remove(self, stream: Stream) -> None:
        wanted = self._filters.pop(stream, Filter())
        for groups, name in self._groups_of(wanted):
            _take_out(groups, name, stream)
        for phrase in wanted.track - self._phrases.keys():
            _take_out(self._anchors, _anchor(phrase), phrase)
        for box in wanted.boxes:
            self._boxes.remove(box, stream)
        self._choosy.discard(stream)

    def add_author(self, stream: Stream, author_id: int) -> None:
        wanted = self._filters[stream]
        self._filters[stream] = replace(wanted, authors=wanted.authors | {author_id})
        self._authors[author_id].add(stream)

    def remove_author(self, stream: Stream, author_id: int) -> None:
        wanted = self._filters[stream]
        self._filters[stream] = replace(wanted, authors=wanted.authors - {author_id})
        _take_out(self._authors, author_id, stream)

    def _groups_of(self, wanted: Filter) -> Iterator[tuple[Groups[Stream], Hashable]]:
        if wanted.percent:
            yield self._samples, wanted.percent
        for phrase in wanted.track:
            yield self._phrases, phrase
        for user_id in wanted.follow:
            yield self._follows, user_id
        for user_id in wanted.authors:
            yield self._authors, user_id
        for tag in wanted.tags:
            yield self._tags, tag

    def _phrases_in(self, status: StatusFacts) -> Iterator[Phrase]:
        for term in status.terms & self._anchors.keys() if self._anchors else ():
            yield from filter(status.says, self._anchors[term])

    def _put_off_by_language(self, found: set[Stream], status: StatusFacts) -> set[Stream]:
        return {
            stream
            for stream in found & self._choosy
            if not self._filters[stream].languages & status.languages
        }


def _anchor(phrase: Phrase) -> str:
    """Takes the longest term: it is most likely the rarest."""
    pairs = {"".join(run.split()[:2]) for run in phrase.runs}
    return max(phrase.words | pairs, key=lambda term: (len(term), term))


def _take_out(groups: defaultdict[Any, set[Any]], name: Hashable, member: Hashable) -> None:
    groups[name].discard(member)
    if not groups[name]:
        del groups[name]
