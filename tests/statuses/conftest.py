import pytest

from tests.cast import make_user
from users.models import User


@pytest.fixture
def alice(transactional_db: None) -> User:
    return make_user("alice", name="Alice Liddell")


@pytest.fixture
def carol(transactional_db: None) -> User:
    return make_user("carol")
