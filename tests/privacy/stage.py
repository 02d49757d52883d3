"""Everybody who may come across a post, and the posts that they may come across."""

import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from django.http import Http404
from django.test import Client

from access.tokens import FIREHOSE, READ, create_token
from lists.services import add_to_list, create_list
from relations.blocks_and_mutes import services as blocks_and_mutes
from relations.services import follow, unfollow
from search.tasks import index_new
from staff.roles import Role
from staff.services import give_role
from statuses.models import Status
from statuses.reactions.services import bookmark, boost, like
from statuses.selectors import visible_or_404
from statuses.services import edit_status, post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.privacy.rules import (
    VIEWERS,
    VISIBILITIES,
    Account,
    Cell,
    Kind,
    Moment,
    Visibility,
    Which,
)
from users.models import User
from users.services import silence, suspend
from users.tasks import refresh_user
from web.refusals import Refusal

# In every post: what streams filter by.
WORD, TAG = "everywhere", "everytag"
NUMBERS: dict[Visibility, int] = {name: place for place, name in enumerate(VISIBILITIES)}
FORMER_FOLLOWERS = ("former", "blocked", "blocking")


class Post(NamedTuple):
    """What it says can be found in a page by `words`, which no other post has."""

    status: Status
    words: str
    words_before: str
    """What it said before it was edited."""


@dataclass
class Stage:
    """`author` and the viewers; others do what has to be done with a post."""

    account: Account
    name: str = field(default_factory=lambda: f"q{uuid.uuid4().hex[:8]}")
    """Of its posts: the stream process may remember those of an earlier stage."""

    people: dict[str, User] = field(default_factory=dict)
    browsers: dict[str, Client] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    posts: dict[Which, Post] = field(default_factory=dict)
    boosts: dict[int, int] = field(default_factory=dict)
    """The boost of each status, if there is one."""

    list_id: int = 0
    question: Status | None = None
    """What the replies answer."""

    @property
    def beginning(self) -> int:
        """A place in the streams: before all posts."""
        return min(post.status.pk for post in self.posts.values()) - 1

    @property
    def author(self) -> User:
        return self.people["author"]

    @property
    def members(self) -> list[str]:
        return [viewer for viewer in VIEWERS if viewer != "visitor"]

    def post_for(self, cell: Cell) -> Post:
        return self.posts[cell.which]


def set_stage(account: Account) -> Stage:
    """Up to the moment at which everybody has become what they are."""
    stage = Stage(account)
    _people(stage)
    _follows(stage)
    for viewer in stage.members:
        stage.browsers[viewer].get("/")  # from now on their homes are there, and are delivered to
    for moment in ("before", "edited"):
        _write(stage, moment)
    _write(stage, "before", "reply")
    drain()
    _act(stage, list(stage.posts.values()))
    index_new.call()
    _part(stage)
    drain()
    return stage


def set_stage_without_posts(account: Account) -> Stage:
    """For what is about people alone: the posts take most of the time."""
    stage = Stage(account)
    _people(stage)
    _follows(stage)
    _part(stage)
    drain()
    return stage


def go_on(stage: Stage) -> None:
    """What the author does as they are now."""
    _write(stage, "after")
    for (moment, *_), post in stage.posts.items():
        if moment == "edited":
            text = post.status.text.replace(post.words_before, post.words)
            edit_status(status=post.status, by=stage.author, text=text)
    drain()
    _act(stage, [post for (moment, *_), post in stage.posts.items() if moment == "after"])
    index_new.call()
    drain()


def write_tagged(stage: Stage) -> None:
    _write(stage, "tagged")
    drain()


def say_everywhere(stage: Stage, word: str) -> None:
    """Something that every stream gets: nothing that was published before comes after it."""
    post_status(author=stage.people["booster"], text=f"{WORD} {word}")


def _people(stage: Stage) -> None:
    for name in (*stage.members, "booster", "liker", "host"):
        stage.people[name] = make_user(name)
    give_role(user=stage.people["moderator"], role=Role.MODERATOR)
    stage.people["moderator"].refresh_from_db()
    stage.browsers = {name: browser_of(stage.people[name]) for name in stage.members}
    stage.browsers["visitor"] = Client()
    for name in stage.members:
        scopes = [READ, FIREHOSE] if name == "moderator" else [READ]
        stage.tokens[name] = create_token(user=stage.people[name], name="x", scopes=scopes)[1]


def _follows(stage: Stage) -> None:
    people, author = stage.people, stage.author
    for name in stage.members:
        follow(follower=people[name], followee=people["booster"])
    for name in ("follower", "muting", *FORMER_FOLLOWERS):
        follow(follower=people[name], followee=author)
    _set_private(author, is_private=True)
    follow(follower=people["requested"], followee=author)
    _set_private(author, is_private=False)
    list_ = create_list(owner=people["host"], name="Everybody")
    add_to_list(list_=list_, user=author)
    stage.list_id = list_.pk
    stage.question = post_status(author=people["host"], text=f"{WORD} a question")


def _write(stage: Stage, moment: Moment, kind: Kind = "post") -> None:
    answers = _stored(stage.question) if kind == "reply" and stage.question else None
    everybody = " ".join(f"@{name}" for name in stage.members if name != "author")
    for visibility, mentions in product(VISIBILITIES, (False, True)):
        code = f"{stage.name}{moment}{kind}{visibility}{'with' if mentions else 'without'}mentionsq"
        before = f"{code}first" if moment == "edited" else code
        text = f"{before} {WORD} #{TAG} {everybody if mentions else ''}"
        status = post_status(
            author=stage.author,
            text=text,
            visibility=NUMBERS[visibility],
            reply_to=answers.id if answers else None,
        )
        after = f"{code}then" if moment == "edited" else code
        stage.posts[moment, kind, visibility, mentions] = Post(status, after, before)


def _act(stage: Stage, posts: Iterable[Post]) -> None:
    """Everybody keeps everything, even what they may not see. Boosts are made where allowed."""
    for post in posts:
        stored = _stored(post.status)
        like(user=stage.people["liker"], status=stored)
        for name in stage.members:
            bookmark(user=stage.people[name], status=stored)
        with suppress(Refusal, Http404):
            seen = visible_or_404(stored.id, viewer=stage.people["booster"])
            boost(user=stage.people["booster"], status=seen)
            row = Status.objects.get(author=stage.people["booster"], boost_of=post.status)
            stage.boosts[stored.id] = row.pk


def _part(stage: Stage) -> None:
    people, author = stage.people, stage.author
    unfollow(follower=people["former"], followee=author)
    blocks_and_mutes.block(blocker=author, blocked=people["blocked"])
    blocks_and_mutes.block(blocker=people["blocking"], blocked=author)
    blocks_and_mutes.mute(user=people["muting"], muted=author)
    if stage.account == "private":
        _set_private(author, is_private=True)
    elif stage.account == "silenced":
        silence(user=author)
    elif stage.account == "suspended":
        suspend(user=author)


def _set_private(author: User, *, is_private: bool) -> None:
    User.objects.filter(pk=author.pk).update(is_private=is_private)
    author.is_private = is_private
    refresh_user.call(author.pk)


def _stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]
