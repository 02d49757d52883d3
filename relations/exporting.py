"""Who follows whom, for the export of their data."""

from collections.abc import Iterator

from users.export.register import Row, exports, walk
from users.models import User

from .models import Follow


@exports("following", title="People you follow", covers=["relations.Follow.follower"])
def following(user: User) -> Iterator[Row]:
    follows = Follow.objects.filter(follower=user, followee__is_active=True)
    for follow in walk(follows.select_related("followee")):
        yield {
            "username": follow.followee.username,
            "since": follow.created_at,
            "boosts_hidden": follow.hides_boosts,
        }


@exports("followers", title="People who follow you", covers=["relations.Follow.followee"])
def followers(user: User) -> Iterator[Row]:
    follows = Follow.objects.filter(followee=user, follower__is_active=True)
    for follow in walk(follows.select_related("follower")):
        yield {"username": follow.follower.username, "since": follow.created_at}
