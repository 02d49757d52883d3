"""What was suggested is looked at again whenever it is shown."""

from collections.abc import Callable

import pytest

from explore.people.working_out import work_out_again
from redistools import keys
from redistools.client import get_client
from relations.blocks_and_mutes.services import block, mute
from relations.services import accept, follow, remove_follower, unfollow
from tests.cast import make_user
from tests.explore.suggesting import names, reasons, set_private, suggestion_of
from users.models import User
from users.services import delete_account, silence, suspend


def test_what_is_kept_leaves_out_whom_the_reader_no_longer_wants_or_may_see(
    alice: User, carol: User
) -> None:
    people = {it: make_user(it) for it in ("dave", "erin", "fay", "gus", "hal", "ida", "joe")}
    assert set(names(alice)) == {"carol", *people}
    follow(follower=alice, followee=carol)
    block(blocker=alice, blocked=people["dave"])
    block(blocker=people["erin"], blocked=alice)
    mute(user=alice, muted=people["fay"])
    suspend(user=people["gus"])
    silence(user=people["hal"])
    delete_account(user=people["ida"])
    set_private(people["joe"])
    assert names(alice) == []


def test_who_follows_them_is_counted_when_it_is_read(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """Bob follows alice and carol, who follow dave."""
    follow(follower=bob, followee=carol)
    follow(follower=alice, followee=dave)
    follow(follower=carol, followee=dave)
    found = suggestion_of(dave, bob)
    assert found is not None
    assert (found.friends, found.friend and found.friend.username) == (2, "carol")
    unfollow(follower=carol, followee=dave)
    found = suggestion_of(dave, bob)
    assert found is not None
    assert (found.friends, found.friend) == (1, None)
    unfollow(follower=alice, followee=dave)
    assert suggestion_of(dave, bob) is None


ENDINGS: dict[str, Callable[[User, User, User], object]] = {
    "unfollowed": lambda alice, bob, _dave: unfollow(follower=bob, followee=alice),
    "removed": lambda alice, bob, _dave: remove_follower(follower=bob, followee=alice),
    "blocks the reader": lambda alice, bob, _dave: block(blocker=alice, blocked=bob),
    "blocks the other": lambda alice, _bob, dave: block(blocker=alice, blocked=dave),
    "muted": lambda alice, bob, _dave: mute(user=bob, muted=alice),
    "suspended": lambda alice, _bob, _dave: suspend(user=alice),
    "gone": lambda alice, _bob, _dave: delete_account(user=alice),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_friend_who_is_one_no_longer_speaks_for_nobody(
    alice: User, bob: User, dave: User, ending: str
) -> None:
    """Not even before the next time that suggestions are worked out."""
    follow(follower=alice, followee=dave)
    set_private(alice)
    assert suggestion_of(dave, bob) is not None
    ENDINGS[ending](alice, bob, dave)
    assert suggestion_of(dave, bob) is None
    work_out_again(bob.pk)
    assert reasons(bob)["dave"] == ("member", "")


def test_whom_a_private_account_follows_is_not_told_to_strangers(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    """Carol has asked to follow alice, who has not answered."""
    follow(follower=alice, followee=dave)
    set_private(alice)
    follow(follower=carol, followee=alice)
    assert reasons(carol)["dave"] == ("member", "")
    accept(follower=carol, followee=alice)
    work_out_again(carol.pk)
    assert reasons(carol)["dave"] == ("friends", str(alice.pk))


def test_a_private_account_is_suggested_only_to_those_whose_friends_follow_it(
    alice: User, bob: User, carol: User, dave: User
) -> None:
    follow(follower=alice, followee=dave)
    set_private(dave)
    assert "dave" not in names(carol)
    assert names(bob)[0] == "dave"
    follow(follower=bob, followee=dave)
    assert "dave" not in names(bob), "who was asked"


def test_whom_redis_lost_is_read_again(alice: User, bob: User, dave: User) -> None:
    follow(follower=alice, followee=dave)
    before = names(bob)
    get_client().delete(keys.user(dave.pk), keys.following(bob.pk), keys.following(alice.pk))
    assert names(bob) == before
