"""The user hash in Redis: what is in it, and that it can be thrown away."""

from collections.abc import Callable
from functools import partial

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from redistools import keys
from redistools.client import get_client
from taskqueue.drain import drain
from tests.plans import on_sqlite
from tests.users.conftest import PASSWORD, Committing
from users import selectors, store
from users.models import AccountGone, User
from users.services import change_profile, delete_account
from users.store import Person

pytestmark = pytest.mark.django_db


def raw_hash(user: User) -> dict[str, str]:
    fields = get_client().hgetall(keys.user(user.pk))
    return {str(name): str(value) for name, value in fields.items()}


def test_the_hash_has_public_fields_only(alice: User) -> None:
    User.objects.update(is_staff=True)
    store.refresh_users([alice.pk])
    fields = raw_hash(alice)
    assert fields.keys() == {
        *("id", "username", "name", "bio", "signup"),
        *("followers", "following", "posts", "private", "limited", "avatar"),
    }
    private = (alice.email, alice.password, PASSWORD, "True")
    assert not any(secret in value for value in fields.values() for secret in private)


def test_a_person_says_who_someone_is(alice: User) -> None:
    assert selectors.people([alice.pk]) == {
        alice.pk: Person(
            id=alice.pk,
            username="alice",
            name="Alice Liddell",
            bio="",
            signup=int(alice.date_joined.timestamp() * 1000),
            followers=0,
            following=0,
            posts=0,
        )
    }


def test_without_a_display_name_the_username_is_shown(alice: User, carol: User) -> None:
    people = selectors.people([alice.pk, carol.pk])
    assert [people[user.pk].display_name for user in (alice, carol)] == ["Alice Liddell", "carol"]


def test_a_person_that_redis_has_costs_no_sql(alice: User) -> None:
    store.refresh_users([alice.pk])
    with CaptureQueriesContext(connection) as queries:
        selectors.people([alice.pk, alice.pk])
    assert len(queries) == 0


def test_a_person_that_redis_lost_comes_back_from_sql(alice: User, carol: User) -> None:
    store.refresh_users([alice.pk, carol.pk])
    kept = selectors.people([alice.pk, carol.pk])
    get_client().delete(keys.user(alice.pk))
    assert selectors.people([alice.pk, carol.pk]) == kept
    assert store.read_users([alice.pk, carol.pk]) == kept


def test_nobody_is_left_out_quietly_and_written_nowhere(alice: User) -> None:
    nobody = alice.pk + 1
    assert selectors.people([nobody]) == {}
    assert selectors.people([]) == {}
    assert not get_client().exists(keys.user(nobody))


def test_a_change_of_name_and_bio_shows_in_redis_and_keeps_the_counters(
    alice: User, committing: Committing
) -> None:
    User.objects.filter(pk=alice.pk).update(followers_count=7)
    with committing():
        change_profile(user=alice, name="Al", bio="Down the\nrabbit hole")
    person = store.read_users([alice.pk])[alice.pk]
    assert (person.name, person.bio, person.followers) == ("Al", "Down the\nrabbit hole", 7)
    alice.refresh_from_db()
    assert (alice.name, alice.bio) == ("Al", "Down the\nrabbit hole")


def test_a_name_or_bio_that_is_too_long_changes_nothing(
    alice: User, committing: Committing
) -> None:
    with committing(), pytest.raises(ValidationError) as refused:
        change_profile(user=alice, name="a" * 51, bio="b" * 301)
    assert refused.value.message_dict.keys() == {"name", "bio"}
    alice.refresh_from_db()
    assert alice.name == "Alice Liddell"


def test_a_name_that_became_reserved_does_not_lock_its_owner_out(alice: User) -> None:
    User.objects.update(username="admin")
    alice.refresh_from_db()
    change_profile(user=alice, name="", bio="Still here")
    alice.refresh_from_db()
    assert alice.bio == "Still here"


def test_a_deleted_account_is_gone_from_sql_and_redis(
    alice: User, carol: User, committing: Committing
) -> None:
    store.refresh_users([alice.pk, carol.pk])
    for _ in range(2):  # the second time changes nothing
        with committing():
            delete_account(user=alice)
        assert list(User.objects.all()) == [carol]
        assert store.read_users([alice.pk, carol.pk]).keys() == {carol.pk}


@pytest.mark.parametrize(
    ("action", "names"),
    [(partial(change_profile, name="Al", bio=""), ["Al"]), (delete_account, [])],
    ids=["change", "delete"],
)
def test_a_worker_catches_up_for_a_process_that_died_after_the_commit(
    alice: User, action: Callable[..., None], names: list[str]
) -> None:
    store.refresh_users([alice.pk])
    action(user=alice)  # the test's transaction never commits, so nothing follows
    assert [person.name for person in store.read_users([alice.pk]).values()] == ["Alice Liddell"]
    drain()
    assert [person.name for person in store.read_users([alice.pk]).values()] == names


def test_saving_an_old_copy_brings_no_deleted_account_back(alice: User) -> None:
    delete_account(user=alice)
    with pytest.raises(AccountGone), transaction.atomic():
        alice.save()
    assert not User.objects.exists()


@pytest.mark.parametrize("spelling", ["alice", "Alice", "ALICE"])
def test_a_user_is_found_in_any_case(alice: User, spelling: str) -> None:
    assert selectors.by_username(spelling) == alice


def test_an_underscore_stands_for_itself_alone(alice: User) -> None:
    with pytest.raises(User.DoesNotExist):
        selectors.by_username("a_ice")


@on_sqlite
def test_names_and_addresses_are_found_through_an_index(alice: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        selectors.by_username("ALICE")
        list(selectors.by_email("ALICE@example.com"))
    for query, index in zip(
        queries, ("username_unique_in_any_case", "email_in_any_case"), strict=True
    ):
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            assert f"USING INDEX {index}" in cursor.fetchone()[-1]
