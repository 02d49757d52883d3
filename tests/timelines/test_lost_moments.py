"""Redis comes back without what it did last; the outbox does it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from pytest_django import Settings

from redistools.serving_copy import SITE
from relations.services import follow
from statuses.services import post_status
from taskqueue import outbox
from taskqueue.drain import drain
from tests.redis_keys import KEYS_AT_ONCE
from tests.soundness import wrong_with_users
from timelines.selectors import home
from upkeep.checking import check
from users.models import User


@contextmanager
def forgotten(server: redis.Redis, prefix: str) -> Iterator[None]:
    """Redis loses all that is done in the block."""

    def names() -> list[Any]:
        return list(server.scan_iter(match=f"{prefix}*", count=KEYS_AT_ONCE))

    assert outbox.waiting() == 0  # all marks are written
    dumped: Any = {name: (server.dump(name), max(0, server.pttl(name))) for name in names()}
    yield
    assert outbox.waiting() == 0
    server.delete(*names())
    for name, (value, left) in dumped.items():
        server.restore(name, left, value)


@pytest.fixture
def pulled(alice: User, bob: User, carol: User, settings: Settings) -> User:
    settings.PULL_THRESHOLD = 1
    follow(follower=carol, followee=alice)
    post_status(author=alice, text="makes alice change over")
    drain()
    post_status(author=alice, text="pulled")
    alice.refresh_from_db()
    assert alice.is_pulled
    assert [it.text for it in home(bob)] == ["pulled", "makes alice change over"]
    return alice


def test_an_author_who_is_pushed_again_stays_so(
    pulled: User, bob: User, settings: Settings, redis_server: redis.Redis, key_prefix: str
) -> None:
    """SQL knows that it was done, Redis does not."""
    settings.PULL_THRESHOLD = 0
    with forgotten(redis_server, key_prefix):
        post_status(author=pulled, text="changes back")
        drain()
    drain()
    pulled.refresh_from_db()
    assert not pulled.is_pulled
    assert [it.text for it in home(bob)] == ["changes back", "pulled", "makes alice change over"]
    assert wrong_with_users(list(User.objects.all())) == []
    assert [str(it) for it in check(SITE, SITE.find([]))] == []
