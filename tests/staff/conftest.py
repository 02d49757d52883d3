import pytest
from django.test import Client

from tests.cast import browser_of, make_user
from users.models import User


@pytest.fixture
def boss(transactional_db: None) -> User:
    return make_user("boss", is_staff=True, is_superuser=True)


@pytest.fixture
def admin(boss: User) -> Client:
    return browser_of(boss)
