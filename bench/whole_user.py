"""What a whole user takes in Redis: all that is kept of them, beside the book's structures."""

from collections.abc import Callable, Iterable

from bench import book
from bench.frame import Stage
from bench.population import insert_far_away, make_follows, make_statuses, make_users
from bench.report import Figure, Target
from bench.used_memory import UNTIL_NOW, growth_of_memory, unlink, used_memory
from notifications import selectors as notifications
from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.scripts import Batch
from relations import store as edges
from statuses import store as statuses
from statuses.models import Status
from timelines import selectors
from users.models import User

USERS, FOLLOWS, STATUSES = 400, 200, 50
# Of somebody who posts twice a day, as many are younger than a hash lives.
OF_THIS_WEEK = 16
HOME_SIZE = 800
# Longer than anything lives that nobody reads.
AWAY_DAYS = 32
DAY = 24 * 3600
BOOK = "the book's structures, Redis' own settings"
DEFAULTS = {"hash-max-ziplist-value": "64", "zset-max-ziplist-entries": "128"}
ENOUGH = Target("at most", 40_000, of="ours")
NEXT_TO_NOTHING = Target("at most", 1_000, of="ours")


def measure(stage: Stage) -> dict[str, Figure]:
    people = make_community(stage)
    ours = measured_by_us(people)
    theirs = with_settings(DEFAULTS, lambda: growth_of_memory(lambda: by_the_book(people)))
    theirs /= len(people)
    unlink("book:*")
    what = f"{FOLLOWS} follows, a full home"
    return {
        f"a user, {what}, {STATUSES} posts in 25 days": Figure(
            ours["usual"], theirs, "bytes", BOOK, True, ENOUGH
        ),
        f"a user, {what}, {STATUSES} posts this week": Figure(
            ours["busy"], theirs, "bytes", BOOK, True
        ),
        "a user who has been away for a month": Figure(
            ours["away"], theirs, "bytes", BOOK, True, NEXT_TO_NOTHING
        ),
    }


def make_community(stage: Stage) -> range:
    """Everybody follows the next 200. Ids are as long as those of a big site."""
    insert_far_away()
    people = make_users(stage.size(USERS, least=10))
    make_statuses(people, each=STATUSES)
    first, count = people[0], len(people)
    for step in range(1, min(FOLLOWS, count - 1) + 1):
        followee = f"{first} + (n + {step}) % {count}"
        make_follows(count, follower=f"{first} + n", followee=followee)
    User.objects.filter(pk__in=people).update(
        name="Alice Liddell",
        bio="About as long as most of them are, and with a #tag.",
        avatar="5f3a9c0d12e4",
        following_count=FOLLOWS,
        followers_count=FOLLOWS,
        statuses_count=STATUSES,
    )
    return people


def measured_by_us(people: range) -> dict[str, float]:
    before = used_memory()

    def each() -> float:
        return (used_memory() - before) / len(people)

    use_everything(people)
    found = {"busy": each()}
    expire_older(people)
    found["usual"] = each()
    stay_away()
    return found | {"away": each()}


def use_everything(people: Iterable[int]) -> None:
    """Everybody reads every page of their own, and posts."""
    ids = list(Status.objects.values_list("id", flat=True))
    for some in chunks(ids, 500):
        statuses.refresh_statuses(some)
    read_own_pages(User.objects.filter(pk__in=people))


def read_own_pages(users: Iterable[User]) -> None:
    for user in users:
        edges.ensure_followers(user.pk)
        selectors.home(user)
        selectors.profile(user, viewer=user)
        selectors.with_replies(user, viewer=user)
        selectors.mentions(user)
        notifications.everything(user)


def expire_older(people: Iterable[int]) -> None:
    for user_id in people:
        ids = Status.objects.filter(author_id=user_id).order_by("-id").values_list("id", flat=True)
        get_client().unlink(*keys.statuses(ids[OF_THIS_WEEK:]))


def stay_away() -> None:
    """What has an end within a month is gone."""
    for some in chunks(get_client().scan_iter(count=1_000), 1_000):
        batch = Batch(get_client())
        for name in some:
            batch.add("TTL", name)
        left = zip(some, batch.run(), strict=True)
        if ended := [name for name, seconds in left if 0 <= seconds < AWAY_DAYS * DAY]:
            get_client().unlink(*ended)


def by_the_book(people: range) -> None:
    book.write_statuses()
    newest = list(Status.objects.order_by("-id").values_list("id", flat=True)[:HOME_SIZE])
    for user in User.objects.filter(pk__in=people):
        batch = Batch(get_client())
        for number in range(1, FOLLOWS + 1):
            other = people[(user.pk + number) % len(people)]
            batch.add("ZADD", book.following(user.pk), UNTIL_NOW + number, other)
            batch.add("ZADD", book.followers(user.pk), UNTIL_NOW + number, other)
        pairs = (part for status_id in newest for part in (status_id, status_id))
        batch.add("ZADD", book.home(user.pk), *pairs)
        batch.add("HSET", book.user(user.pk), *book.user_fields(user))
        batch.run()


def with_settings(settings: dict[str, str], work: Callable[[], float]) -> float:
    """The server's own settings come back."""
    client = get_client()
    before = {name: str(client.config_get(name)[name]) for name in settings}
    for name, value in settings.items():
        client.config_set(name, value)
    try:
        return work()
    finally:
        for name, value in before.items():
            client.config_set(name, value)
