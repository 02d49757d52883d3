"""All open streams of this process, and which of them get an event. No input or output here."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..event import FOLLOW, TAG, UNFOLLOW, StreamEvent
from .index import StreamIndex
from .notices import Goodbye
from .open_stream import OpenStream
from .pacing import ReplayQueue
from .searches import SearchIndex


class Hub:
    def __init__(self) -> None:
        self.streams: set[OpenStream] = set()
        self.position = 0  # the newest event that was handed on; 0 before the first
        self._newest: dict[bool, int] = {}  # the same for each log
        self.has_begun = False
        self.is_subscribed = False
        self.is_stopping = False
        self.suspended: frozenset[int] = frozenset()  # accounts whose statuses nobody gets now
        self.replays = ReplayQueue()
        self._index: StreamIndex[OpenStream] = StreamIndex()
        self.searches: SearchIndex[OpenStream] = SearchIndex()
        self._searching: set[OpenStream] = set()
        self._live: set[OpenStream] = set()
        self._homes: defaultdict[int, set[OpenStream]] = defaultdict(set)
        self._pages: defaultdict[int, set[OpenStream]] = defaultdict(set)

    def join(self, stream: OpenStream) -> None:
        self.streams.add(stream)
        if stream.home_of is not None:
            self._homes[stream.home_of].add(stream)
        if stream.is_of_a_page:
            self._pages[stream.listener.user_id].add(stream)

    def go_live(self, stream: OpenStream, *, after: int) -> None:
        """From here on the stream gets every event after this position, each once."""
        stream.position = after
        self._live.add(stream)
        self._index.add(stream, stream.wanted)
        if stream.search is not None:
            self._searching.add(stream)
            self.searches.add(stream, stream.search)

    def leave(self, stream: OpenStream) -> None:
        self.streams.discard(stream)
        self._live.discard(stream)
        self._index.remove(stream)
        if stream.search is not None:
            self._searching.discard(stream)
            self.searches.remove(stream)
        if stream.home_of is not None:
            _take_out(self._homes, stream.home_of, stream)
        if stream.is_of_a_page:
            _take_out(self._pages, stream.listener.user_id, stream)

    def dispatch(self, event: StreamEvent) -> None:
        self.position = self._newest[event.is_private] = event.position
        if event.has_status and self.suspended:
            if event.authors & self.suspended:
                return
            event = event.without_mentions(self.suspended.__contains__)
        if event.is_about_a_status:
            for stream in self._interested_in(event):
                stream.offer(event)
            for stream in self._searching_for(event):
                self.searches.remember(stream, event.facts.id)
                stream.offer(event)
        elif event.kind in (FOLLOW, UNFOLLOW):
            self._change_homes(event)
        elif event.kind == TAG:
            self._change_tags(event)

    def _interested_in(self, event: StreamEvent) -> Iterable[OpenStream]:
        if event.is_private:
            return self._index.find_homes(event.facts.author_id)
        return self._index.find(event.facts)

    def _searching_for(self, event: StreamEvent) -> Iterable[OpenStream]:
        """Mostly, nobody searches."""
        return self.searches.find(event) if self._searching and not event.is_private else ()

    def begin(self, position: int) -> None:
        self.position = position
        self._newest = {True: position, False: position}

    def has_missed_before(self, event: StreamEvent) -> bool:
        return event.before > self._newest.get(event.is_private, self.position)

    def tell(self, user_id: int, message: dict[str, Any]) -> None:
        for stream in self._pages.get(user_id, ()):
            stream.writer.put(stream.dialect.notice(message))

    def keep_alive(self, stream: OpenStream, now: float) -> None:
        if stream in self._live:
            # Anything before the hub's position was not for this stream, or is in its buffer.
            stream.position = self.position
        stream.writer.keep_alive(stream.position, now)

    def close_where(
        self, is_meant: Callable[[OpenStream], bool], goodbye: Goodbye, reason: str
    ) -> None:
        for stream in self.streams:
            if is_meant(stream):
                stream.close(goodbye, reason)

    def stop(self) -> None:
        self.is_stopping = True
        reason = "The server is shutting down: connect again."
        self.close_where(lambda _stream: True, Goodbye.SHUTDOWN, reason)

    def _change_homes(self, event: StreamEvent) -> None:
        author_id: int = event.data["followee"]
        for stream in self._homes.get(event.data["follower"], ()):
            self._change_home(stream, author_id, follows=event.kind == FOLLOW)

    def _change_tags(self, event: StreamEvent) -> None:
        """Rare, so the stream is simply indexed again."""
        tag = {event.data["tag"]}
        for stream in self._homes.get(event.data["follower"], ()):
            tags = stream.wanted.tags
            tags = tags | tag if event.data["follows"] else tags - tag
            stream.wanted = replace(stream.wanted, tags=tags)
            stream.follows_changed += 1
            if stream in self._live:
                self._index.remove(stream)
                self._index.add(stream, stream.wanted)

    def _change_home(self, stream: OpenStream, author_id: int, *, follows: bool) -> None:
        authors = stream.wanted.authors
        authors = authors | {author_id} if follows else authors - {author_id}
        stream.wanted = replace(stream.wanted, authors=authors)
        stream.follows_changed += 1
        if stream in self._live:
            change = self._index.add_author if follows else self._index.remove_author
            change(stream, author_id)


def _take_out(groups: defaultdict[int, set[OpenStream]], user_id: int, stream: OpenStream) -> None:
    groups[user_id].discard(stream)
    if not groups[user_id]:
        del groups[user_id]
