"""The account behind a request is the one that Django itself would find."""

from users.login.backends import AccountBackend
from users.models import User


def test_it_is_the_row_in_sql_field_by_field(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, followers_count=3, bio="grüße")
    found, expected = AccountBackend().get_user(alice.pk), User.objects.get(pk=alice.pk)
    assert found is not None
    for field in User._meta.concrete_fields:
        mine, theirs = getattr(found, field.attname), getattr(expected, field.attname)
        assert (field.name, mine, type(mine)) == (field.name, theirs, type(theirs))


def test_it_can_be_changed_and_saved(alice: User) -> None:
    found = AccountBackend().get_user(alice.pk)
    assert found is not None
    found.bio = "new"
    found.save()
    assert User.objects.get(pk=alice.pk).bio == "new"


def test_who_is_suspended_or_gone_is_nobody(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert AccountBackend().get_user(alice.pk) is None
    User.objects.filter(pk=alice.pk).delete()
    assert AccountBackend().get_user(alice.pk) is None
