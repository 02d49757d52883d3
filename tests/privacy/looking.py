"""What a viewer comes across: on pages, through a browser, and in the streams of a real process."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import NamedTuple

from django.conf import settings as site
from django.test import Client

from tests.privacy.rules import Cell
from tests.privacy.stage import TAG, WORD, Post, Stage
from tests.running_site import wait_for
from tests.streaming.server import StreamReader, StreamServer
from tests.streaming.test_home_stream import HOME, EventSource

ARTICLE = re.compile(
    r'<article class="status" id="status-(\d+)"[^>]*>\s*(?:<p [^>]*data-boost="(\d+)")?'
)
NEXT = re.compile(r'href="([^"]+)" rel="next"')
MOST_PAGES = 20
UPDATES = ("update", "status.update")


class Sight(NamedTuple):
    """What a viewer was shown in one place."""

    text: str
    entries: frozenset[int]
    """The statuses that stand there by themselves."""

    boosts: frozenset[int]
    """The boosts that stand there."""


NOTHING = Sight("", frozenset(), frozenset())
Has = Callable[[Sight, Post, int], bool]


def sight_of(text: str) -> Sight:
    articles = [(int(status), boost) for status, boost in ARTICLE.findall(text)]
    entries = frozenset(status for status, boost in articles if not boost)
    return Sight(text, entries, frozenset(int(boost) for _, boost in articles if boost))


def shows_words(sight: Sight, post: Post, _boost: int) -> bool:
    return post.words in sight.text


def shows_entry(sight: Sight, post: Post, _boost: int) -> bool:
    return post.status.pk in sight.entries


def shows_boost(sight: Sight, post: Post, boost: int) -> bool:
    return boost in sight.boosts and post.words in sight.text


def is_there(sight: Sight, _post: Post, _boost: int) -> bool:
    return bool(sight.text)


def shows_first_words(sight: Sight, post: Post, _boost: int) -> bool:
    return post.words_before in sight.text and post.words in sight.text


def shows_address(sight: Sight, post: Post, _boost: int) -> bool:
    return f"/@author/{post.status.pk}/<" in sight.text


def shows_state(sight: Sight, post: Post, _boost: int) -> bool:
    return f'"{post.status.pk}": {{"counts"' in sight.text


# The others show the words of a post, or don't.
LOOKS_FOR: dict[str, Has] = {
    "sitemap": shows_address,
    "oembed": is_there,
    "its earlier versions": shows_first_words,
    "its counters on an open page": shows_state,
    "who liked it": is_there,
    "who boosted it": is_there,
    "form to report it": is_there,
    "home, boosted by somebody": shows_boost,
    "home stream": shows_entry,
    "home stream, boosted": shows_boost,
    "home stream, by its tag": shows_entry,
    "home stream, resumed": shows_entry,
    "home stream, resumed, boosted": shows_boost,
}
# A home shows what is both boosted and delivered once, as boosted.
ONCE = ("home", "home, important first", "home, with its tag followed")

PAGES = {
    "profile": "/@author/",
    "profile with replies": "/@author/with_replies/",
    "home": "/",
    "home, important first": "/?order=important",
    "home, boosted by somebody": "/",
    "home, with its tag followed": "/",
    "page of its tag": f"/tags/{TAG}/",
    "explore, popular": "/explore/",
    "explore, newest": "/explore/newest/",
    "search, latest": f"/search/?q={WORD}",
    "search, top": f"/search/?q={WORD}&tab=top",
    "search, from:me": f"/search/?q={WORD}+from:me",
    "search, in:bookmarks": f"/search/?q={WORD}+in:bookmarks",
    "likes of a member": "/@liker/likes/",
    "bookmarks": "/bookmarks/",
    "mentions": "/mentions/",
    "notifications": "/notifications/",
    "notifications, mentions": "/notifications/mentions/",
    "feed of the author": "/@author/feed.xml",
    "feed of its tag": f"/tags/{TAG}/feed.xml",
}
PAGES_OF_A_POST = {
    "page of the post": "",
    "its earlier versions": "history/",
    "who liked it": "likes/",
    "who boosted it": "boosts/",
    "post embedded elsewhere": "embed/",
}
# These don't know who asks.
FOR_ALL_ALIKE = ("/sitemap", "/oembed", "/@author/feed.xml", f"/tags/{TAG}/feed.xml")


class Looking:
    """Through the eyes of one viewer. What was read once is not read again."""

    def __init__(self, stage: Stage, viewer: str) -> None:
        self._stage, self._viewer = stage, viewer
        self.browser = stage.browsers[viewer]
        self._addresses = PAGES | {
            "list": f"/lists/{stage.list_id}/",
            "thread that it answers": f"/@host/{stage.question.pk if stage.question else 0}/",
        }
        self._read: dict[str, Sight] = {}

    def at(self, place: str, post: Post) -> Sight:
        if place == "form to report it":
            return self._sight(f"/statuses/{post.status.pk}/report/")
        if place == "its counters on an open page":
            every = ",".join(str(it.status.pk) for it in self._stage.posts.values())
            return self._sight(f"/now/?statuses={every}")
        if place == "oembed":
            return self._sight(f"/oembed?url={site.SITE_URL}/@author/{post.status.pk}/")
        if place == "sitemap":
            return self._sight(f"/sitemap-posts-{post.status.created_at.date()}.xml")
        if place in PAGES_OF_A_POST:
            return self._sight(f"/@author/{post.status.pk}/{PAGES_OF_A_POST[place]}")
        return self._sight(self._addresses[place])

    def _sight(self, address: str) -> Sight:
        if address not in self._read:
            self._read[address] = sight_of("".join(pages_from(self.browser, address)))
        return self._read[address]

    @property
    def everything(self) -> str:
        return "".join(sight.text for sight in self._read.values())


def pages_from(browser: Client, address: str) -> Iterator[str]:
    """A page and those that follow it; nothing where there is none for this viewer."""
    for _ in range(MOST_PAGES):
        answer = browser.get(address)
        if answer.status_code != 200:
            assert answer.status_code in (302, 404), (address, answer.status_code)
            return
        if not address.startswith(FOR_ALL_ALIKE):
            assert "Cookie" in answer["Vary"], f"{address} may be kept for somebody else"
        page = answer.content.decode()
        yield page
        way_on = NEXT.search(page)
        if way_on is None:
            return
        address = way_on[1].replace("&amp;", "&")
    raise AssertionError(f"{address} does not end")


class Streams:
    """The streams of all viewers who may have one, each by the name of its place."""

    def __init__(self, stage: Stage, server: StreamServer, stack: ExitStack) -> None:
        self._stage, self._server, self._stack = stage, server, stack
        self.homes: dict[str, EventSource] = {}
        self.searches: dict[str, EventSource] = {}
        self._others: dict[tuple[str, str], StreamReader] = {}

    def open(self, *, after: int | None = None, only_homes: bool = False) -> None:
        for viewer in self._listeners():
            self._open_home(viewer, after)
            if not only_homes:
                self._open_search(viewer, after)
                self._open_others(viewer, after)

    def _listeners(self) -> list[str]:
        suspended = self._stage.account == "suspended"
        return [it for it in self._stage.members if not (suspended and it == "author")]

    def _open_home(self, viewer: str, after: int | None) -> None:
        self.homes[viewer] = self._open_page(viewer, after, HOME)

    def _open_search(self, viewer: str, after: int | None) -> None:
        self.searches[viewer] = self._open_page(viewer, after, f"/streaming/search?q={WORD}")

    def _open_page(self, viewer: str, after: int | None, path: str) -> EventSource:
        cookie = self._stage.browsers[viewer].cookies[site.SESSION_COOKIE_NAME].value
        position = None if after is None else str(after)
        source = EventSource(self._server, cookie, position, path)
        return self._stack.enter_context(closing(source))

    def _open_others(self, viewer: str, after: int | None) -> None:
        wanted = {"filter": {"track": WORD}, "sample": {"percent": "100"}, "firehose": {}}
        for name, parameters in wanted.items():
            if name == "firehose" and viewer != "moderator":
                continue
            since = {} if after is None else {"since_id": str(after)}
            reader = StreamReader(
                self._server,
                f"/1.1/statuses/{name}.json",
                self._stage.tokens[viewer],
                params=parameters | since,
            )
            self._others[name, viewer] = self._stack.enter_context(closing(reader))

    def wait_for(self, word: str, *, besides: Collection[str] = ()) -> None:
        """`besides`: viewers whose streams have ended."""
        for viewer, home in self.homes.items():
            if viewer not in besides:
                wait_for(lambda: word in home.text, what=f"{word} in the home of {viewer}")  # noqa: B023 - called at once
        for viewer, search in self.searches.items():
            if viewer not in besides:
                wait_for(lambda: word in search.text, what=f"{word} in the search of {viewer}")  # noqa: B023 - called at once
        for which, reader in self._others.items():
            if which[1] not in besides:
                wait_for(lambda: word.encode() in reader.raw, what=f"{word} in {which}")  # noqa: B023 - called at once

    def at(self, place: str, viewer: str) -> Sight:
        name = place.partition(",")[0].removesuffix(" stream")
        if name == "search":
            found = [it for it in self.searches[viewer].messages if it.event in UPDATES]
            return sight_of("".join(it.data for it in found))
        if name == "home":
            kinds = ("notification",) if "notification" in place else UPDATES
            messages = [it for it in self.homes[viewer].messages if it.event in kinds]
            return sight_of("".join(it.data.replace('\\"', '"') for it in messages))
        return Sight(self._others[name, viewer].raw.decode(), frozenset(), frozenset())

    def deleted(self, place: str, viewer: str) -> set[int]:
        """The statuses whose deletion was told there."""
        name = place.removesuffix(" stream")
        if name == "home":
            messages = self.homes[viewer].messages
            return {int(it.data) for it in messages if it.event == "delete"}
        return set(self._others[name, viewer].deleted)

    def everything(self, viewer: str) -> str:
        others = [it.raw.decode() for (_, who), it in self._others.items() if who == viewer]
        pages = [it[viewer].text for it in (self.homes, self.searches) if viewer in it]
        return "".join([*pages, *others])


@contextmanager
def open_streams(
    stage: Stage, server: StreamServer, *, after: int | None = None, only_homes: bool = False
) -> Iterator[Streams]:
    with ExitStack() as stack:
        streams = Streams(stage, server, stack)
        streams.open(after=after, only_homes=only_homes)
        yield streams


def finds(place: str, sight: Sight, cell: Cell, stage: Stage, *, expected: bool) -> bool:
    """Is the post of this cell to be seen there?"""
    post = stage.post_for(cell)
    boost = stage.boosts.get(post.status.pk, 0)
    if place in ONCE:
        return shows_entry(sight, post, boost) or (expected and shows_boost(sight, post, boost))
    return LOOKS_FOR.get(place, shows_words)(sight, post, boost)
