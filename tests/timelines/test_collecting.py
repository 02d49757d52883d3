"""The newest statuses of many authors, from SQL."""

import pytest

from statuses.models import Status
from statuses.rows import newest_of_each
from tests.cast import make_user
from timelines.collecting import collect_from_sql, first_in_sql
from users.audience import Visibility
from users.models import User


def write(author: User, *status_ids: int) -> None:
    for status_id in status_ids:
        Status.objects.create(id=status_id, author=author, text="Hello.")


def test_each_author_has_a_list_of_their_own(alice: User, bob: User, carol: User) -> None:
    write(alice, 1, 4, 6)
    write(bob, 2)
    write(make_user("dave"), 7)
    ids = [alice.pk, bob.pk, carol.pk]
    assert newest_of_each(ids, 2) == {alice.pk: [6, 4], bob.pk: [2], carol.pk: []}
    assert newest_of_each(ids, 3)[alice.pk] == [6, 4, 1]
    assert newest_of_each([], 3) == {}


def test_those_who_posted_most_are_asked_again(alice: User, carol: User) -> None:
    write(alice, *range(100, 200))
    write(carol, *range(1, 31), 150_000)
    loaded = collect_from_sql([alice.pk, carol.pk], limit=110)
    assert list(loaded.scores) == [150_000, *range(199, 99, -1), *range(30, 21, -1)]
    assert not loaded.whole
    assert collect_from_sql([alice.pk, carol.pk], limit=200).whole


@pytest.mark.parametrize("limit", [1, 3, 8, 50])
def test_the_first_of_some_rows_are_those_of_one_query(
    alice: User, bob: User, carol: User, limit: int
) -> None:
    """Also where one author said nearly all of it, and where somebody's are filtered out."""
    write(alice, *range(100, 160, 2))
    write(bob, 1, 115, 171)
    write(carol, *range(105, 115, 2))
    User.objects.filter(pk=carol.pk).update(is_private=True)
    Status.objects.filter(pk=116).update(visibility=Visibility.MENTIONED)
    write(make_user("dave"), 120_000)
    authors = [alice.pk, bob.pk, carol.pk, make_user("erin").pk]
    for viewer in (None, carol):
        visible = Status.objects.in_timelines().visible_to(viewer).between(above=102, below=172)
        for rows in (visible.newest_first(), visible.order_by("id")):
            expected = rows.filter(author_id__in=authors).values_list("id", flat=True)[:limit]
            assert first_in_sql(rows, authors, limit=limit) == list(expected)
            assert first_in_sql(rows, [], limit=limit) == []
