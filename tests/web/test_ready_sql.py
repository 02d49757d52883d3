"""SQL that Django builds once, and runs with the values of each call."""

from django.db import connection
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries

from tests.cast import make_user
from users import rows
from users.models import User
from web.sql.ready_sql import Given, ready, select


def test_a_query_is_built_once_and_finds_what_each_call_asks_for(
    alice: User, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    built: list[str] = []

    @ready
    def name_of() -> QuerySet[User, tuple[str]]:
        built.append(connection.vendor)
        return User.objects.filter(pk=Given("id"), is_active=True).values_list("username")

    with django_assert_num_queries(3):
        assert select(name_of(), id=alice.pk) == [("alice",)]
        assert select(name_of(), id=carol.pk) == [("carol",)]
        assert select(name_of(), id=0) == []
    assert built == [connection.vendor]


def test_each_number_of_values_has_a_text_of_its_own(alice: User, carol: User) -> None:
    dave = make_user("dave")
    for people in ([alice], [alice, carol], [carol, dave, alice], [dave]):
        found = rows.named([user.username.upper() for user in people])
        assert {user.pk for user in found} == {user.pk for user in people}
        assert not any(user.get_deferred_fields() for user in found), "each would be a query"
    assert rows.named([]) == []


def test_a_row_becomes_the_same_object_as_by_django(alice: User) -> None:
    read = rows.COLUMNS.by_id(alice.pk)
    assert read is not None
    plain = User.objects.get(pk=alice.pk)
    fields = [field.attname for field in User._meta.concrete_fields]
    assert [getattr(read, it) for it in fields] == [getattr(plain, it) for it in fields]
