"""A site with 100,000 accounts and 1,000,000 statuses, made once by SQL."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from pytest_django.plugin import DjangoDbBlocker

from bench import population
from lists.models import List, ListMember
from redistools.ids import SEQUENCE_BITS
from statuses.models import Bookmark, Like, Mention, Status, Tagging
from tags.models import Tag
from tests.big_site.site import ACCOUNTS, EACH, FANS, FOLLOWED, MEMBERS, TAGS, BigSite
from tests.quick_flush import without_triggers
from users.models import User


@pytest.fixture(scope="package")
def big_site(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[BigSite]:
    with django_db_blocker.unblock():
        yield _make()
        with connection.cursor() as cursor, without_triggers(cursor):
            call_command("flush", interactive=False, verbosity=0)


def _make() -> BigSite:
    ids = population.make_users(ACCOUNTS)
    reader = population.make_reader(ids[:: ACCOUNTS // FOLLOWED])
    population.make_statuses(ids, each=EACH)
    User.objects.update(followers_count=FANS, following_count=FOLLOWED)  # at least
    statuses, list_ = Status.objects.order_by("id"), List.objects.create(owner=reader, name="some")
    site = BigSite(ids, reader, statuses[0], statuses[ACCOUNTS * EACH // 2], list_)
    _follow(site)
    _answer_and_boost(site)
    _like(site)
    _tag_and_mention(site)
    members = ListMember(list=site.list_, user_id=0)
    population.insert(members, MEMBERS, id="1 + n", user_id=f"{ids[0]} + n * 11")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # as its autovacuum would; nobody does it for SQLite
    return site


def _follow(site: BigSite) -> None:
    """Each account follows the next ones; many follow the last."""
    first = site.ids[0]
    someone = f"{first} + (n % {ACCOUNTS} + 1 + n / {ACCOUNTS} * 37) % {ACCOUNTS}"
    population.make_follows(3 * ACCOUNTS, follower=f"{first} + n % {ACCOUNTS}", followee=someone)
    population.make_follows(FANS, follower=f"{first} + n", followee=str(site.popular.pk))


def _answer_and_boost(site: BigSite) -> None:
    """As many of each as there are accounts; all between two of the statuses made before."""
    about = f"{site.oldest.pk} + ((n * 7) << {SEQUENCE_BITS})"
    for offset, column in enumerate(("reply_to_id", "boost_of_id"), start=1):
        population.insert(
            Status(id=0, author_id=0, created_at=site.oldest.created_at, text="Yes."),
            ACCOUNTS,
            id=f"{about} + {offset}",
            author_id=f"{site.ids[0]} + n",
            **{column: about},
        )


def _like(site: BigSite) -> None:
    for table in (Like, Bookmark):
        statuses = f"{site.oldest.pk} + ((n * 3) << {SEQUENCE_BITS})"
        user = f"{site.ids[0]} + n % {ACCOUNTS}"
        row = table(id=0, user_id=0, status_id=0)
        population.insert(row, 3 * ACCOUNTS, id="1 + n", user_id=user, status_id=statuses)


def _tag_and_mention(site: BigSite) -> None:
    population.insert(Tag(name="", written=""), TAGS, id="1 + n", name="'tag' || n")
    status = f"{site.oldest.pk} + ((n * 2) << {SEQUENCE_BITS})"
    population.insert(
        Tagging(tag_id=0, status_id=0),
        5 * ACCOUNTS,
        id="1 + n",
        tag_id=f"1 + n % {TAGS}",
        status_id=status,
    )
    population.insert(
        Mention(user_id=0, author_id=0, status_id=0),
        5 * ACCOUNTS,
        id="1 + n",
        user_id=f"{site.ids[0]} + n % {ACCOUNTS}",
        author_id=f"{site.ids[0]} + (n * 3) % {ACCOUNTS}",
        status_id=status,
    )
