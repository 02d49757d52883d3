"""Who sees what, written down by hand. Nothing here comes from the code that it is to check."""

from collections.abc import Callable
from itertools import product
from typing import Literal, NamedTuple

Viewer = Literal[
    "author",
    "follower",
    "muting",
    "former",
    "requested",
    "stranger",
    "blocked",
    "blocking",
    "moderator",
    "visitor",
]
Account = Literal["open", "private", "silenced", "suspended"]
Visibility = Literal["public", "unlisted", "followers", "mentioned"]
Answer = Literal["shown", "hidden", "n/a"]

VIEWERS: dict[Viewer, str] = {
    "author": "who wrote the post",
    "follower": "follows the author",
    "muting": "follows the author, and mutes them",
    "former": "followed the author when the post was written, and no longer does",
    "requested": "has asked to follow the author, who has not answered",
    "stranger": "a member who has nothing to do with the author",
    "blocked": "a former follower whom the author has blocked",
    "blocking": "a former follower who has blocked the author",
    "moderator": "may delete what they see; a stranger otherwise",
    "visitor": "is not logged in",
}
ACCOUNTS: dict[Account, str] = {
    "open": "an ordinary account",
    "private": "the author decides who follows",
    "silenced": "moderators have limited it to its followers",
    "suspended": "moderators have hidden it",
}
VISIBILITIES: tuple[Visibility, ...] = ("public", "unlisted", "followers", "mentioned")

# When the post was written: before its author's account and the viewers became what they are, the
# same but edited afterwards, or afterwards. `tagged`: when the viewers followed its tag too.
Moment = Literal["before", "edited", "after", "tagged"]
Kind = Literal["post", "reply"]
Which = tuple[Moment, Kind, Visibility, bool]
WRITTEN: tuple[tuple[Moment, Kind], ...] = (
    *(("before", "post"), ("edited", "post"), ("after", "post"), ("tagged", "post")),
    ("before", "reply"),
)


class Cell(NamedTuple):
    """One post, and somebody who may come across it."""

    viewer: Viewer
    account: Account
    visibility: Visibility
    mentions_viewer: bool
    moment: Moment = "before"
    kind: Kind = "post"

    @property
    def which(self) -> Which:
        """The post alone."""
        return self.moment, self.kind, self.visibility, self.mentions_viewer

    @property
    def follows(self) -> bool:
        return self.viewer in ("author", "follower", "muting")

    @property
    def is_listed(self) -> bool:
        return self.visibility == "public" and self.account == "open"


class Verdict(NamedTuple):
    answer: Answer
    why: str


def may_see(cell: Cell) -> Verdict:
    """At all, on any page. The first line that applies decides."""
    everybody = cell.visibility in ("public", "unlisted") and cell.account == "open"
    followers = cell.follows and cell.visibility != "mentioned"
    lines: list[tuple[bool, Answer, str]] = [
        (cell.account == "suspended", "hidden", "the account is suspended"),
        (cell.viewer == "author", "shown", "authors see their own posts"),
        (cell.viewer in ("blocked", "blocking"), "hidden", "one has blocked the other"),
        (everybody, "shown", "everybody may see it"),
        (cell.viewer == "visitor", "hidden", "it is not for everybody"),
        (cell.mentions_viewer, "shown", "it mentions the viewer"),
        (followers, "shown", "the viewer follows the author"),
    ]
    for applies, answer, why in lines:
        if applies:
            return Verdict(answer, why)
    return Verdict("hidden", "it is for followers or mentioned people")


class Need(NamedTuple):
    """What a place asks for beside that the viewer may see the post."""

    is_met: Callable[[Cell], bool]
    otherwise: str


TIMELINES = Need(lambda it: it.visibility != "mentioned", "it is for mentioned people only")
PUBLIC = Need(lambda it: it.visibility == "public", "only public posts are listed there")
LISTED = Need(lambda it: it.is_listed, "only public posts of open accounts are listed there")
UNMUTED = Need(lambda it: it.viewer != "muting", "the author is muted")
FOLLOWS = Need(lambda it: it.follows, "it comes to followers")
OWN = Need(lambda it: it.viewer == "author", "it is not the viewer's own")
NAMED = Need(lambda it: it.mentions_viewer, "it does not mention the viewer")
FOLLOWED_OR_TAGGED = Need(
    lambda it: (it.follows and it.visibility != "mentioned") or it.visibility == "public",
    "it comes to followers, or by its tag",
)
FOLLOWED_OR_TAGGED_LIVE = Need(
    lambda it: (it.follows and it.visibility != "mentioned") or it.is_listed,
    "it comes to followers, or by its tag",
)
STILL_PASSED_ON = Need(
    lambda it: it.follows or it.account == "open" or it.moment == "before",
    "a boost of what only followers see goes to them alone",
)

# Where a question makes no sense.
MEMBERS = Need(lambda it: it.viewer != "visitor", "visitors have none")
LISTENERS = Need(
    lambda it: it.viewer != "visitor" and (it.viewer, it.account) != ("author", "suspended"),
    "needs an account that is not suspended",
)
VISITORS = Need(lambda it: it.viewer == "visitor", "does not know who asks")
STAFF = Need(lambda it: it.viewer == "moderator", "needs a token for staff")
OTHERS = Need(lambda it: it.viewer != "author", "it is about posts of others")
BOOSTED = Need(
    lambda it: (
        it.visibility in ("public", "unlisted") and (it.account == "open" or it.moment != "after")
    ),
    "only what everybody may see can be boosted",
)

LIVE: tuple[Moment, ...] = ("edited", "after")
ALWAYS: tuple[Moment, ...] = ("before", "edited", "after")


class Place(NamedTuple):
    """Somewhere a post may be come across."""

    needs: tuple[Need, ...] = ()
    only_for: tuple[Need, ...] = ()
    """Who and what the question makes sense for."""

    moments: tuple[Moment, ...] = ALWAYS
    kinds: tuple[Kind, ...] = ("post",)


PLACES: dict[str, Place] = {
    "page of the post": Place(kinds=("post", "reply")),
    "its counters on an open page": Place(kinds=("post", "reply")),
    "its earlier versions": Place(moments=("edited",)),
    "who liked it": Place(moments=("before",)),
    "who boosted it": Place(moments=("before",)),
    "form to report it": Place((), (MEMBERS, OTHERS), moments=("before",)),
    "thread that it answers": Place((UNMUTED,), moments=("before",), kinds=("reply",)),
    "profile": Place((TIMELINES,)),
    "profile with replies": Place((TIMELINES,), kinds=("post", "reply")),
    "home": Place((TIMELINES, FOLLOWS, UNMUTED), (MEMBERS,)),
    "home, important first": Place((TIMELINES, FOLLOWS, UNMUTED), (MEMBERS,)),
    "home, boosted by somebody": Place((UNMUTED,), (MEMBERS, BOOSTED)),
    "home, with its tag followed": Place((FOLLOWED_OR_TAGGED, UNMUTED), (MEMBERS,)),
    "list": Place((TIMELINES, UNMUTED)),
    "page of its tag": Place((PUBLIC, UNMUTED)),
    "explore, popular": Place((PUBLIC, UNMUTED)),
    "explore, newest": Place((LISTED, UNMUTED)),
    "search, latest": Place((LISTED, UNMUTED), kinds=("post", "reply")),
    "search, top": Place((LISTED, UNMUTED), kinds=("post", "reply")),
    "search, from:me": Place((OWN,), (LISTENERS,), kinds=("post", "reply")),
    "search, in:bookmarks": Place((), (LISTENERS,)),
    "likes of a member": Place(),
    "bookmarks": Place((), (MEMBERS,)),
    "mentions": Place((NAMED, UNMUTED), (MEMBERS, OTHERS)),
    "notifications": Place((NAMED, UNMUTED), (MEMBERS, OTHERS)),
    "notifications, mentions": Place((NAMED, UNMUTED), (MEMBERS, OTHERS)),
    "feed of the author": Place((LISTED,), (VISITORS,)),
    "feed of its tag": Place((LISTED,), (VISITORS,)),
    "sitemap": Place((LISTED,), (VISITORS,), kinds=("post", "reply")),
    "post embedded elsewhere": Place((), (VISITORS,), kinds=("post", "reply")),
    "oembed": Place((), (VISITORS,), kinds=("post", "reply")),
    "home stream": Place((TIMELINES, FOLLOWS, UNMUTED), (LISTENERS,), LIVE),
    "home stream, boosted": Place((STILL_PASSED_ON, UNMUTED), (LISTENERS, BOOSTED), LIVE),
    "home stream, notification": Place((NAMED, UNMUTED), (LISTENERS, OTHERS), ("after",)),
    "home stream, by its tag": Place((FOLLOWED_OR_TAGGED_LIVE, UNMUTED), (LISTENERS,), ("tagged",)),
    "home stream, resumed": Place((TIMELINES, FOLLOWS, UNMUTED), (LISTENERS,)),
    "home stream, resumed, boosted": Place((STILL_PASSED_ON, UNMUTED), (LISTENERS, BOOSTED)),
    "search stream": Place((LISTED, UNMUTED), (LISTENERS,), LIVE, ("post", "reply")),
    "search stream, resumed": Place((LISTED, UNMUTED), (LISTENERS,), kinds=("post", "reply")),
    "filter stream": Place((LISTED,), (LISTENERS,), LIVE),
    "filter stream, resumed": Place((LISTED,), (LISTENERS,)),
    "sample stream": Place((LISTED,), (LISTENERS,), LIVE),
    "sample stream, resumed": Place((LISTED,), (LISTENERS,)),
    "firehose": Place((LISTED,), (LISTENERS, STAFF), LIVE),
    "firehose, resumed": Place((LISTED,), (LISTENERS, STAFF)),
}


def verdict(place: str, cell: Cell) -> Verdict:
    """Does the viewer come across the post there?"""
    wanted = PLACES[place]
    for need in wanted.only_for:
        if not need.is_met(cell):
            return Verdict("n/a", need.otherwise)
    allowed = may_see(cell)
    if allowed.answer == "hidden":
        return allowed
    for need in wanted.needs:
        if not need.is_met(cell):
            return Verdict("hidden", need.otherwise)
    return allowed


# Streams that are told of a deletion.
TELLING = ("home stream", "filter stream", "sample stream", "firehose")


def told_of_removal(stream: str, cell: Cell, *, is_in_log: bool) -> Verdict:
    """When the post is deleted, also with its author's account: those who may have got it there.
    The first line that applies decides.
    """
    was_open = cell.account in ("open", "suspended") or (cell.moment == "before" and is_in_log)
    lines: list[tuple[bool, Answer, str]] = [
        (stream == "firehose" and cell.viewer != "moderator", "n/a", STAFF.otherwise),
        ((cell.account, cell.moment) == ("suspended", "after"), "n/a", "nobody could post it"),
        (cell.visibility == "mentioned", "hidden", "no stream had it"),
        (stream == "home stream" and cell.follows, "shown", "followers had it"),
        (stream == "home stream", "hidden", "it came to followers"),
        (cell.visibility != "public", "hidden", "it was in no public stream"),
        (not was_open, "hidden", "it was for followers, or is by now"),
    ]
    for applies, answer, why in lines:
        if applies:
            return Verdict(answer, why)
    return Verdict("shown", "public streams had it")


def cells(account: Account) -> list[Cell]:
    """Of all viewers and all posts."""
    every = product(VIEWERS, VISIBILITIES, (False, True), WRITTEN)
    return [
        Cell(viewer, account, visibility, mentions, *written)
        for viewer, visibility, mentions, written in every
    ]
