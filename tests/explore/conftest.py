import pytest

from tests.cast import make_user
from users.models import User


@pytest.fixture
def dave(transactional_db: None) -> User:
    return make_user("dave")


@pytest.fixture
def erin(transactional_db: None) -> User:
    return make_user("erin")
