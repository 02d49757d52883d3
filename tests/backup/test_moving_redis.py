"""From one Redis to another."""

from typing import Any

import pytest
from pytest_django import Settings

from backup.archive import BackupError
from backup.redis_keys import check_empty, client_of, copy_keys
from redistools import keys
from redistools.client import get_client
from statuses.services import post_status
from tests.redis_keys import contents_of, keys_of_the_test
from timelines.selectors import home
from users.models import User


@pytest.fixture
def community(alice: User, bob: User, carol: User) -> None:
    for user in (alice, bob, carol):
        home(user)
        post_status(author=user, text=f"I am {user.username} #hello")
    get_client().set(keys.cache_entry("soon", "", 1), "x", px=100_000)


def contents() -> dict[str, Any]:
    """But for the marks of tasks that are done, which a thread writes when it gets to it."""
    return contents_of([it for it in keys_of_the_test() if not it.endswith(keys.outbox_done())])


@pytest.mark.usefixtures("community")
def test_a_cluster_gets_everything_with_the_time_it_has_left(
    redis_cluster_url: str, settings: Settings
) -> None:
    before = contents()
    copied = copy_keys(client_of(settings.REDIS_URL), client_of(redis_cluster_url))
    assert copied > len(before) > 20
    settings.REDIS_URL = redis_cluster_url
    assert contents() == before
    assert 0 < get_client().pttl(keys.cache_entry("soon", "", 1)) <= 100_000

    with pytest.raises(BackupError, match="holds keys of a site: empty it"):
        check_empty(client_of(redis_cluster_url))


@pytest.mark.usefixtures("community")
def test_copying_again_changes_nothing(redis_cluster_url: str, settings: Settings) -> None:
    source, target = client_of(settings.REDIS_URL), client_of(redis_cluster_url)
    check_empty(target)
    copy_keys(source, target)
    settings.REDIS_URL = redis_cluster_url
    before = contents()
    assert len(before) > 20
    copy_keys(source, target)
    assert contents() == before


def test_a_redis_that_does_not_answer_is_named() -> None:
    with pytest.raises(BackupError, match="The Redis of --redis can't be used"):
        client_of("redis://127.0.0.1:1/0")
