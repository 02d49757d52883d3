import pytest

from tests.cast import make_user
from users.models import User
from users.services import follow


@pytest.fixture
def alice(transactional_db: None) -> User:
    return make_user("alice", name="Alice Liddell")


@pytest.fixture
def bob(alice: User) -> User:
    bob = make_user("bob")
    follow(follower=bob, followee=alice)
    return bob


@pytest.fixture
def carol(transactional_db: None) -> User:
    return make_user("carol")
