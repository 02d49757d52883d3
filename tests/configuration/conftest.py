from collections.abc import Callable
from typing import Any

import pytest

from configuration.services import change_settings
from tests.cast import make_user
from users.models import User

Change = Callable[..., None]


@pytest.fixture
def root(transactional_db: None) -> User:
    """Runs the site."""
    return make_user("root", is_staff=True, is_superuser=True)


@pytest.fixture
def change(root: User) -> Change:
    def do_change(**wanted: Any) -> None:
        change_settings(by=root, **wanted)

    return do_change
