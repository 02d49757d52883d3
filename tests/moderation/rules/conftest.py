from collections.abc import Callable

import pytest

from moderation.models import Rule
from moderation.rules.services import add_rule
from users.models import User

AddRule = Callable[..., Rule]


@pytest.fixture
def rule(mod: User) -> AddRule:
    def add(kind: str, pattern: str, action: str = "refuse", **fields: str) -> Rule:
        return add_rule(rule=Rule(kind=kind, pattern=pattern, action=action, **fields), by=mod)

    return add
