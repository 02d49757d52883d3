import pytest
from django.test import Client

from staff.roles import Role
from staff.services import give_role
from tests.cast import browser_of, make_user
from users.models import User


@pytest.fixture
def helper(transactional_db: None) -> User:
    """Of support: looks, and changes nothing."""
    user = make_user("helper")
    give_role(user=user, role=Role.SUPPORT)
    return User.objects.get(pk=user.pk)


@pytest.fixture
def support(helper: User) -> Client:
    return browser_of(helper)
