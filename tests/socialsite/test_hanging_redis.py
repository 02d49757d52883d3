"""Refreshing holds SQL's lock while it waits for Redis: briefly, or not at all."""

import subprocess
import threading
from collections.abc import Callable, Iterator

import pytest
import redis
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries, Settings

from lists import store as list_store
from lists.models import List
from processes import embedded_redis
from redistools.client import get_client, is_away
from relations import store as edges
from statuses.store import refresh_statuses
from tests.redis_servers import frozen
from tests.running_site import temporary_folder, wait_for
from users.models import User
from users.store import refresh_users

Server = subprocess.Popen[bytes]


@pytest.fixture
def server(settings: Settings) -> Iterator[Server]:
    """A separate Redis, which the test may stop."""
    with temporary_folder() as folder:
        socket = folder / "redis" / "redis.sock"
        settings.REDIS_URL = f"unix://{socket}"
        with embedded_redis.running(socket) as process:
            get_client().ping()
            yield process


def refreshes(alice: User, carol: User) -> list[Callable[[], object]]:
    list_ = List.objects.create(owner=alice, name="friends")
    return [
        lambda: refresh_users([alice.pk]),
        lambda: refresh_statuses([1]),
        lambda: edges.refresh_edge(alice.pk, carol.pk),
        lambda: list_store.refresh_edge(list_, carol.pk),
    ]


def test_the_lock_is_not_taken_while_redis_is_known_to_be_away(
    server: Server,
    alice: User,
    carol: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    attempts = refreshes(alice, carol)
    with frozen(server.pid):
        with pytest.raises(redis.TimeoutError):
            get_client().ping()
        for refresh in attempts:
            with django_assert_num_queries(0), pytest.raises(redis.ConnectionError):
                refresh()
    wait_for(lambda: not is_away())
    for refresh in attempts:
        refresh()


def test_a_writer_waits_no_longer_than_a_command(server: Server, alice: User, carol: User) -> None:
    locked = threading.Event()

    def refresh_and_close() -> None:
        try:
            with transaction.atomic():
                User.objects.select_for_update().get(pk=alice.pk)
                locked.set()
                with pytest.raises(redis.TimeoutError):
                    refresh_users([alice.pk])
        finally:
            connection.close()

    with frozen(server.pid):
        thread = threading.Thread(target=refresh_and_close)
        thread.start()
        assert locked.wait(5)
        User.objects.filter(pk=carol.pk).update(name="Carol")  # waits for the lock
        thread.join(timeout=3)
        assert not thread.is_alive()
    wait_for(lambda: not is_away())
    carol.refresh_from_db()
    assert carol.name == "Carol"
