"""What a status is worth to a reader: against an oracle that knows nothing but SQL."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import log
from random import Random

import pytest

from redistools.client import get_client
from redistools.ids import time_of
from relations.models import Follow
from relations.services import follow, hide_boosts
from statuses.models import Like, Status, like_ids
from statuses.reactions import services as reactions
from statuses.services import post_status
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from tests.timelines.important_home import forget, said, stored, walk, write
from timelines import store
from timelines.ranking import importance
from timelines.reading.paging import PAGE_SIZE
from timelines.selectors import home
from users.models import User


class Site:
    """A week of a small site at random; statuses, boosts, replies and likes are in SQL alone."""

    def __init__(self, seed: int, people: Sequence[User]) -> None:
        self.random = Random(seed)
        self.people = people
        self.statuses: list[Status] = []
        for hours_ago in sorted((self.random.uniform(0, 150) for _ in range(200)), reverse=True):
            self._happen(hours_ago)
        for status in Status.objects.all():
            status.replies_count = Status.objects.filter(reply_to=status).count()
            status.boosts_count = Status.objects.filter(boost_of=status).count()
            status.likes_count = Like.objects.filter(status=status).count()
            status.save()

    def _happen(self, hours_ago: float) -> None:
        author = self.random.choice(self.people)
        kind = self.random.choice(["post", "boost", "reply", "like", "like"])
        if kind == "post" or not self.statuses:
            self.statuses.append(write(author, hours_ago=hours_ago))
            return
        other = self.random.choice(self.statuses)
        if kind == "reply":
            fields = {"reply_to": other, "reply_to_author": other.author, "text": f"{hours_ago} re"}
            self.statuses.append(write(author, hours_ago=hours_ago, **fields))
        elif kind == "boost" and not Status.objects.filter(author=author, boost_of=other).exists():
            write(author, hours_ago=hours_ago, boost_of=other, text="")
        elif kind == "like":
            Like.objects.get_or_create(
                user=author, status=other, defaults={"id": like_ids.next(get_client())}
            )


def oracle(viewer: User) -> list[int]:
    """The statuses in order, by the words of the formula and nothing but SQL."""
    follows = {it.followee_id: it for it in Follow.objects.filter(follower=viewer)}
    ours = {viewer.pk, *follows}
    rows = list(Status.objects.filter(author__in=ours).order_by("-id")[: store.TIMELINE_SIZE])

    def is_hidden(row: Status) -> bool:
        if row.boost_of_id:
            return row.author_id != viewer.pk and follows[row.author_id].hides_boosts
        others = row.reply_to_id is not None and row.reply_to_author_id != row.author_id
        return others and row.author_id != viewer.pk and row.reply_to_author_id not in ours

    shown = {row.boost_of_id or row.pk for row in rows if not is_hidden(row)}
    now = datetime.now(UTC)

    def worth(status: Status) -> float:
        friends = {
            row.author_id
            for row in rows
            if row.reply_to_id == status.pk or (row.boost_of_id == status.pk and not is_hidden(row))
        } - {viewer.pk, status.author_id}
        base = 1 + log(1 + status.likes_count) + 2 * log(1 + status.boosts_count)
        base += 1.5 * log(1 + status.replies_count) + 3 * len(friends)
        return float(base * 2 ** (-((now - time_of(status.pk)) / timedelta(hours=12))))

    statuses = Status.objects.filter(pk__in=shown)
    return [it.pk for it in sorted(statuses, key=worth, reverse=True)]


@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_that_of_the_formula(alice: User, bob: User, carol: User, seed: int) -> None:
    people = [alice, bob, carol, *(make_user(f"user{number}") for number in range(4))]
    for other in people[2:5]:
        follow(follower=bob, followee=other)
    hide_boosts(follower=bob, followee=people[3])
    Site(seed, people)
    get_client().delete(*keys_of_the_test("home:*"), *keys_of_the_test("p*:*"))
    seen = walk(bob)
    assert [entry.status.id for entry in seen] == oracle(bob)
    assert len(seen) > PAGE_SIZE
    forget(bob)
    assert walk(bob) == seen, "now that Redis knows the statuses"


def test_attention_counts_and_fades(alice: User, bob: User, carol: User) -> None:
    old = write(alice, hours_ago=40, text="old and liked", likes_count=20)
    write(alice, hours_ago=13, text="yesterday, and liked", likes_count=20)
    write(alice, hours_ago=5, text="of today")
    write(alice, hours_ago=1, text="just now")
    assert said(bob) == ["yesterday, and liked", "just now", "of today", "old and liked"]
    assert [entry.text for entry in home(bob)][-1] == old.text


def test_what_people_one_follows_boost_and_answer_counts_more(
    alice: User, bob: User, carol: User
) -> None:
    friends = [make_user(f"friend{number}") for number in range(2)]
    for friend in friends:
        follow(follower=bob, followee=friend)
    plain = post_status(author=alice, text="plain")
    told = post_status(author=alice, text="told")
    post_status(author=alice, text="last")
    reactions.boost(user=friends[0], status=stored(told))
    post_status(author=friends[1], text="indeed", reply_to=stored(told).id)
    for _ in range(2):
        post_status(author=carol, text="a stranger's", reply_to=stored(plain).id)
    assert said(bob)[0] == "told"


def test_authors_whom_one_writes_to_count_twice(alice: User, bob: User) -> None:
    carol = make_user("carol")
    follow(follower=bob, followee=carol)
    write(alice, hours_ago=11, text="a friend's")
    write(carol, hours_ago=0.5, text="somebody's")
    assert said(bob) == ["somebody's", "a friend's"]
    post_status(author=bob, text="Hello @alice!")
    drain()
    assert [it for it in said(bob) if it != "Hello @alice!"] == ["a friend's", "somebody's"]


def test_very_old_statuses_are_still_in_order(alice: User, bob: User) -> None:
    """Their worth is too small for a number, its logarithm is not."""
    for years in (1, 2):
        write(alice, hours_ago=years * 365 * 24, text=f"{years} years")
    assert importance.HALF_LIFE_MS * 1_100 < 2 * 365 * 24 * 3600 * 1000
    assert said(bob) == ["1 years", "2 years"]
