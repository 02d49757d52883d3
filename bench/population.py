"""Many people, follows, statuses and homes at once: written by SQL and COPY, not one by one."""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.color import no_style
from django.db import connection, models
from django.utils import timezone

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.ids import SEQUENCE_BITS, first_id_at
from redistools.scripts import Batch
from relations import store as edges
from relations.models import Follow
from statuses.models import Status
from timelines import selectors
from users.models import NameWord, User

COPIES_PER_TRIP = 1_000
TEXT = (
    "'Status number ' || n || ': about as long as most are, with a #tag and a link to "
    "https://example.com/page, so that rendering and memory are what they are in life.'"
)


def make_users(count: int) -> range:
    """Ids of new accounts that nobody can log in to."""
    first = _next_id(User)
    pattern = User(username="", email="", password="!")
    name = f"'u' || ({first} + n)"
    insert(pattern, count, id=f"{first} + n", username=name, email=f"{name} || '@example.com'")
    word = NameWord(user_id=0, word="")
    insert(word, count, id=f"{_next_id(NameWord)} + n", user_id=f"{first} + n", word=name)
    return range(first, first + count)


def insert_far_away() -> None:
    """Somebody whose id is as long as those of a big site; who is made after them has such too."""
    User(id=40_000_000, username="far", email="far@example.com", password="!").save()


def make_author(follower_ids: range) -> User:
    """Somebody whom all of these follow, in Redis too."""
    (author_id,) = make_users(1)
    if follower_ids:
        make_follows(len(follower_ids), follower=f"{follower_ids[0]} + n", followee=str(author_id))
        followers = User.objects.filter(pk__range=(follower_ids[0], follower_ids[-1]))
        followers.update(following_count=models.F("following_count") + 1)
    User.objects.filter(pk=author_id).update(followers_count=len(follower_ids))
    edges.ensure_followers(author_id)
    return User.objects.get(pk=author_id)


def make_reader(followee_ids: Sequence[int]) -> User:
    """Somebody who follows all of these; their ids are evenly spaced."""
    (reader_id,) = make_users(1)
    step = followee_ids[1] - followee_ids[0] if len(followee_ids) > 1 else 1
    followee = f"{followee_ids[0]} + n * {step}"
    make_follows(len(followee_ids), follower=str(reader_id), followee=followee)
    User.objects.filter(pk=reader_id).update(following_count=len(followee_ids))
    return User.objects.get(pk=reader_id)


def make_follows(count: int, *, follower: str, followee: str) -> None:
    """`follower` and `followee` are SQL over n, which counts from 0."""
    first = max(_next_id(Follow), _long_ago())
    pattern = Follow(follower_id=0, followee_id=0)
    insert(pattern, count, id=f"{first} + n", follower_id=follower, followee_id=followee)


def make_statuses(author_ids: range, *, each: int) -> None:
    """The authors take turns, a status every millisecond."""
    first, count = max(_next_id(Status), _long_ago()), len(author_ids) * each
    insert(
        Status(id=0, author_id=0, created_at=timezone.now()),
        count,
        id=f"{first} + (n << {SEQUENCE_BITS})",
        author_id=f"{author_ids[0]} + n % {len(author_ids)}",
        text=TEXT,
    )


def make_homes(user_ids: Iterable[int], *, depth: int) -> None:
    """Homes of people who follow one busy author: read once, then copied."""
    templates = {keys.partition(user_id): user_id for user_id in _template_readers(depth)}
    copy_keys(
        (keys.home(templates[keys.partition(user_id)]), keys.home(user_id)) for user_id in user_ids
    )


def copy_keys(pairs: Iterable[tuple[str, str]]) -> None:
    """From the first to the second of each pair, which must share a slot."""
    for some in chunks(pairs, COPIES_PER_TRIP):
        batch = Batch(get_client())
        for source, target in some:
            batch.add("COPY", source, target)
        batch.run()


def _template_readers(depth: int) -> range:
    """One in each partition."""
    readers = make_users(settings.PARTITIONS)
    busy = make_author(readers)
    make_statuses(range(busy.pk, busy.pk + 1), each=depth)
    for reader in User.objects.filter(pk__in=readers):
        selectors.home(reader)
    return readers


def insert(pattern: models.Model, count: int, **expressions: str) -> None:
    """`count` rows like the pattern, except for columns given as SQL over n = 0, 1, 2 …"""
    if not count:
        return
    columns, values, parameters = [], [], []
    for field in pattern._meta.concrete_fields:
        assert field.column is not None
        columns.append(f'"{field.column}"')
        if field.column in expressions:
            values.append(expressions[field.column].replace("%", "%%"))
            continue
        values.append("%s")
        value = field.value_from_object(pattern)
        parameters.append(field.get_db_prep_save(value, connection))
    _execute(
        f'INSERT INTO "{pattern._meta.db_table}" ({", ".join(columns)}) '
        f"WITH RECURSIVE numbers(n) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT n + 1 "
        f"FROM numbers WHERE n < {count - 1}) "
        f"SELECT {', '.join(values)} FROM numbers",
        parameters,
    )
    _continue_after(pattern)


def _continue_after(pattern: models.Model) -> None:
    """PostgreSQL's sequences don't notice ids that were given."""
    statements = connection.ops.sequence_reset_sql(no_style(), [type(pattern)])
    for statement in statements:
        _execute(statement, [])


def _execute(sql: str, parameters: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)


def _next_id(model: type[models.Model]) -> int:
    highest = model._default_manager.aggregate(highest=models.Max("pk"))["highest"]
    return (highest or 0) + 1


def _long_ago() -> int:
    """Older than what is written during the benchmark."""
    return first_id_at(timezone.now() - timedelta(days=1))
