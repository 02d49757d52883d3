"""The baseline that every reader knows: a social network as books on Redis teach it.

All data is in Redis, the client does the work, homes are sorted sets, and another one holds all
followers of an author. Rewritten here without its checks, so that it does no more than it must.
"""

from collections.abc import Iterable
from typing import Any

from django.conf import settings

from bench.population import copy_keys
from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from relations.models import Follow
from statuses.models import Status
from taskqueue.task import task
from users.models import User

PASS_SIZE = 1_000
HOME_SIZE = 1_000


def following(user_id: int) -> str:
    return f"book:following:{user_id}"


def followers(user_id: int) -> str:
    return f"book:followers:{user_id}"


def user(user_id: int) -> str:
    return f"book:user:{user_id}"


def profile(user_id: int) -> str:
    return f"book:profile:{user_id}"


def home(user_id: int) -> str:
    """The tag costs nothing, and allows copying homes from a template on a Cluster."""
    return f"book:home:{{{keys.tag(keys.partition(user_id))}}}:{user_id}"


def user_fields(account: User) -> list[str | int]:
    """As in the book's hash of a user."""
    return [
        *("login", account.username, "id", account.pk, "name", account.name),
        *("followers", account.followers_count, "following", account.following_count),
        *("posts", account.statuses_count, "signup", int(account.date_joined.timestamp())),
    ]


def write_statuses() -> None:
    """A hash with five fields, and a member of the author's profile."""
    for some in chunks(Status.objects.select_related("author").iterator(500), 500):
        pipeline = get_client().pipeline(transaction=False)
        for status in some:
            fields: dict[Any, Any] = {
                "message": status.text,
                "posted": status.created_at.timestamp(),
                "id": status.pk,
                "uid": status.author_id,
                "username": status.author.username,
            }
            pipeline.hset(f"book:status:{status.pk}", mapping=fields)
            pipeline.zadd(profile(status.author_id), {str(status.pk): status.pk})
        pipeline.execute()


def make_homes(user_ids: Iterable[int], status_ids: Iterable[int]) -> None:
    """The same statuses for all."""
    templates = [
        f"book:template:{{{keys.tag(partition)}}}" for partition in range(settings.PARTITIONS)
    ]
    for template in templates:
        get_client().zadd(template, {str(status_id): status_id for status_id in status_ids})
    copy_keys((templates[keys.partition(user_id)], home(user_id)) for user_id in user_ids)


def load_followers(author_id: int) -> None:
    rows = Follow.objects.filter(followee_id=author_id).values_list("follower_id", "id")
    for some in chunks(rows.iterator(), PASS_SIZE):
        scores = {str(follower_id): follow_id for follower_id, follow_id in some}
        get_client().zadd(followers(author_id), scores)


def serve_pass(status_id: int, author_id: int, start: int) -> int | None:
    """Deliver to the next followers; returns where to continue, or None at the end."""
    client = get_client()
    answer: Any = client.zrangebyscore(
        followers(author_id), f"({start}", "+inf", start=0, num=PASS_SIZE, withscores=True
    )
    pipeline = client.pipeline(transaction=False)
    for follower, _ in answer:
        add_to_home(pipeline, int(follower), status_id)
    pipeline.execute()
    return int(answer[-1][1]) if len(answer) == PASS_SIZE else None


@task(queue_name="fan_out")
def syndicate(status_id: int, author_id: int, start: int) -> None:
    """A pass over the followers; the next one is queued."""
    rest = serve_pass(status_id, author_id, start)
    if rest is not None:
        syndicate.enqueue(status_id, author_id, rest)


@task(queue_name="fan_out")
def deliver_to_one(status_id: int, follower_id: int) -> None:
    """The naive way: a task for each follower."""
    pipeline = get_client().pipeline(transaction=False)
    add_to_home(pipeline, follower_id, status_id)
    pipeline.execute()


def add_to_home(pipeline: Any, follower_id: int, status_id: int) -> None:
    pipeline.zadd(home(follower_id), {str(status_id): status_id})
    pipeline.zremrangebyrank(home(follower_id), 0, -HOME_SIZE - 1)


def follow(follower_id: int, followee_id: int, now: int) -> None:
    """Write both sides and the counters, and merge the followee's newest statuses into the home."""
    client = get_client()
    pipeline = client.pipeline(transaction=True)
    pipeline.zadd(following(follower_id), {str(followee_id): now})
    pipeline.zadd(followers(followee_id), {str(follower_id): now})
    pipeline.zcard(following(follower_id))
    pipeline.zcard(followers(followee_id))
    pipeline.zrevrange(profile(followee_id), 0, HOME_SIZE - 1, withscores=True)
    *_, following_count, followers_count, statuses = pipeline.execute()
    pipeline = client.pipeline(transaction=True)
    pipeline.hset(user(follower_id), "following", following_count)
    pipeline.hset(user(followee_id), "followers", followers_count)
    if statuses:
        pipeline.zadd(home(follower_id), dict(statuses))
    pipeline.zremrangebyrank(home(follower_id), 0, -HOME_SIZE - 1)
    pipeline.execute()


def unfollow(follower_id: int, followee_id: int) -> None:
    client = get_client()
    pipeline = client.pipeline(transaction=True)
    pipeline.zrem(following(follower_id), followee_id)
    pipeline.zrem(followers(followee_id), follower_id)
    pipeline.zcard(following(follower_id))
    pipeline.zcard(followers(followee_id))
    pipeline.zrevrange(profile(followee_id), 0, HOME_SIZE - 1)
    *_, following_count, followers_count, statuses = pipeline.execute()
    pipeline = client.pipeline(transaction=True)
    pipeline.hset(user(follower_id), "following", following_count)
    pipeline.hset(user(followee_id), "followers", followers_count)
    if statuses:
        pipeline.zrem(home(follower_id), *statuses)
    pipeline.execute()
