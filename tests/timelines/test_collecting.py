"""The newest statuses of many authors, from SQL."""

from statuses.models import Status
from statuses.rows import newest_of_each
from tests.cast import make_user
from timelines.collecting import collect_from_sql
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
