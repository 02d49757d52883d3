"""Tags were in the app `statuses` once: a site that is upgraded keeps them."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from statuses.models import Tagging
from tags.models import Tag, TagFollow
from tags.services import follow_tag
from tests.search.finding import count_tags
from tests.timelines.tagging import assert_sound, post
from users.audience import Visibility
from users.models import User

Migrations = list[tuple[str, str]]


def migrate(targets: Migrations | None = None) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(targets or executor.loader.graph.leaf_nodes())


def ids_in(table: str) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT id FROM {table}")
        return [pk for (pk,) in cursor.fetchall()]


def test_tags_and_follows_survive_the_move(alice: User, bob: User) -> None:
    """And tags are counted on the way."""
    post(alice, "#tea #coffee")
    post(alice, "#coffee")
    post(bob, "#tea", visibility=Visibility.FOLLOWERS)
    count_tags()
    follow_tag(user=bob, name="tea")
    follow, tagging = TagFollow.objects.get(), Tagging.objects.get(tag__name="tea")
    migrate([("statuses", "0001_initial")])
    try:
        assert follow.tag_id in ids_in("statuses_tag")
        assert ids_in("statuses_tagfollow") == [follow.pk]
    finally:
        migrate()
    assert TagFollow.objects.get(tag__name="tea", user=bob) == follow
    assert Tagging.objects.get(tag__name="tea") == tagging
    assert dict(Tag.objects.values_list("name", "uses")) == {"tea": 1, "coffee": 2}
    assert_sound()
