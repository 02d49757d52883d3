"""What does it cost to follow somebody, home merged, and to unfollow them again?

Ours writes the record in SQL, durably, and answers when Redis agrees. Books only use Redis, so
there is a second baseline: theirs after the same write in SQL.
"""

from collections.abc import Callable
from functools import partial

from django.db import transaction
from django.db.models import F

from bench import book
from bench.frame import Stage, interleaved, percentile
from bench.population import make_reader, make_statuses, make_users
from bench.report import Figure
from redistools.client import get_client
from relations.models import Follow, follow_ids
from relations.services import follow, unfollow
from statuses.models import Status
from timelines import selectors
from users.models import User

ROUNDS = 100
AUTHORS, STATUSES_EACH = 100, 50
Way = dict[str, Callable[[], object]]


def measure(stage: Stage) -> dict[str, Figure]:
    authors = make_users(stage.size(AUTHORS, least=4))
    make_statuses(authors, each=STATUSES_EACH)
    reader = make_reader(authors[1:])
    followee = User.objects.get(pk=authors[0])
    selectors.home(reader)
    selectors.profile(followee)
    prepare_the_book(reader, followee)
    ways: Way = {
        "follow": partial(follow, follower=reader, followee=followee),
        "unfollow": partial(unfollow, follower=reader, followee=followee),
        "follow, book": partial(book.follow, reader.pk, followee.pk, 1),
        "unfollow, book": partial(book.unfollow, reader.pk, followee.pk),
        "follow, book and SQL": partial(follow_with_sql, reader, followee),
        "unfollow, book and SQL": partial(unfollow_with_sql, reader, followee),
    }
    taken = interleaved(ways, rounds=stage.size(ROUNDS, least=3))
    return {
        f"{what}, p{percent}, to {baseline}": Figure(
            1000 * percentile(taken[what], percent),
            1000 * percentile(taken[f"{what}, {key}"], percent),
            *("ms", baseline, True),
        )
        for what in ("follow", "unfollow")
        for key, baseline in (
            ("book", "the book's way, which keeps no record"),
            ("book and SQL", "the book's way after the same write in SQL"),
        )
        for percent in (50, 99)
    }


def prepare_the_book(reader: User, followee: User) -> None:
    def scores(**where: object) -> dict[str, int]:
        ids = Status.objects.filter(**where).newest_first().values_list("id", flat=True)
        return {str(status_id): status_id for status_id in ids[: book.HOME_SIZE]}

    client = get_client()
    client.zadd(book.home(reader.pk), scores())
    client.zadd(book.profile(followee.pk), scores(author=followee))


def follow_with_sql(reader: User, followee: User) -> None:
    follow_id = follow_ids.next(get_client())
    with transaction.atomic():
        Follow.objects.create(id=follow_id, follower=reader, followee=followee)
        count(reader, followee, +1)
    book.follow(reader.pk, followee.pk, follow_id)


def unfollow_with_sql(reader: User, followee: User) -> None:
    with transaction.atomic():
        Follow.objects.filter(follower=reader, followee=followee).delete()
        count(reader, followee, -1)
    book.unfollow(reader.pk, followee.pk)


def count(reader: User, followee: User, change: int) -> None:
    User.objects.filter(pk=reader.pk).update(following_count=F("following_count") + change)
    User.objects.filter(pk=followee.pk).update(followers_count=F("followers_count") + change)
