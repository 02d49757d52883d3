"""Who follows whom, for the export of their data."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, leave_out, walk
from users.models import User

from .models import Block, Follow, FollowRequest, Mute, MutedWord, ThreadMute


@exports("following", title=_("People you follow"), covers=["relations.Follow.follower"])
def following(user: User) -> Iterator[Row]:
    follows = Follow.objects.filter(follower=user, followee__is_active=True)
    for follow in walk(follows.select_related("followee")):
        yield {
            "username": follow.followee.username,
            "since": follow.created_at,
            "boosts_hidden": follow.hides_boosts,
        }


@exports("followers", title=_("People who follow you"), covers=["relations.Follow.followee"])
def followers(user: User) -> Iterator[Row]:
    follows = Follow.objects.filter(followee=user, follower__is_active=True)
    for follow in walk(follows.select_related("follower")):
        yield {"username": follow.follower.username, "since": follow.created_at}


@exports("requests", title=_("Requests to follow"), covers=["relations.FollowRequest.follower"])
def requests(user: User) -> Iterator[Row]:
    asked = FollowRequest.objects.filter(follower=user, followee__is_active=True)
    for request in walk(asked.select_related("followee")):
        yield {"username": request.followee.username, "since": request.created_at}


@exports(
    "requested",
    title=_("People who would like to follow you"),
    covers=["relations.FollowRequest.followee"],
)
def requested(user: User) -> Iterator[Row]:
    asked = FollowRequest.objects.filter(followee=user, follower__is_active=True)
    for request in walk(asked.select_related("follower")):
        yield {"username": request.follower.username, "since": request.created_at}


@exports("blocks", title=_("People you block"), covers=["relations.Block.blocker"])
def blocks(user: User) -> Iterator[Row]:
    for block in walk(Block.objects.filter(blocker=user).select_related("blocked")):
        yield {"username": block.blocked.username}


@exports("mutes", title=_("People you mute"), covers=["relations.Mute.user"])
def mutes(user: User) -> Iterator[Row]:
    for mute in walk(Mute.objects.filter(user=user).select_related("muted")):
        yield {"username": mute.muted.username, "until": mute.until}


@exports("muted_threads", title=_("Threads you mute"), covers=["relations.ThreadMute.user"])
def muted_threads(user: User) -> Iterator[Row]:
    for mute in walk(ThreadMute.objects.filter(user=user)):
        yield {"status": mute.thread, "until": mute.until}


@exports("muted_words", title=_("Words you mute"), covers=["relations.MutedWord.user"])
def muted_words(user: User) -> Iterator[Row]:
    for word in walk(MutedWord.objects.filter(user=user)):
        yield {"phrase": word.phrase, "action": word.action, "until": word.until}


leave_out(
    "relations.Block.blocked",
    "relations.Mute.muted",
    because="People do not learn who blocks or mutes them.",
)
