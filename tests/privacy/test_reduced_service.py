"""The table of who sees what holds on pages that are read from SQL, too."""

import pytest

from tests.outages import redis_away
from tests.privacy.rules import Account
from tests.privacy.stage import go_on, set_stage
from tests.privacy.test_matrix import TAGGED_HOME, follow_the_tag, some_of_each, wrong_on_pages

READ_FROM_SQL = [
    *("page of the post", "thread that it answers", "profile", "profile with replies"),
    *("home", "home, boosted by somebody"),
]


@pytest.mark.long
@pytest.mark.parametrize("account", ["open", "private", "suspended"])
@pytest.mark.usefixtures("transactional_db")
def test_everybody_sees_the_same_while_redis_is_away(account: Account) -> None:
    stage = set_stage(account)
    go_on(stage)
    with redis_away():
        wrong = [*wrong_on_pages(stage, READ_FROM_SQL)]
    follow_the_tag(stage)
    with redis_away():
        wrong += wrong_on_pages(stage, [TAGGED_HOME])
    assert not wrong, "\n".join([f"{len(wrong)} cells are wrong, such as:", *some_of_each(wrong)])
