"""Stores that answer but can't write: their disk or their memory is full."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from redistools.client import get_client
from relations.models import Follow
from statuses.models import Status
from tests.running_site import wait_for
from users.models import User


@contextmanager
def redis_with_a_full_disk() -> Iterator[None]:
    """Redis refuses writes after a failed save; here its folder is gone."""
    redis: Any = get_client()
    before = redis.config_get("dir")["dir"]
    gone = tempfile.mkdtemp()
    redis.config_set("save", "3600 1")
    redis.config_set("dir", gone)
    shutil.rmtree(gone)
    redis.bgsave()
    wait_for(lambda: redis.info("persistence")["rdb_last_bgsave_status"] == "err")
    try:
        yield
    finally:
        redis.config_set("save", "")
        redis.config_set("dir", before)


@pytest.fixture
def full_database() -> Iterator[None]:
    """SQLite may not grow any more, and has no room left by what other tests deleted."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1073741823")


def visiting(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def test_writes_are_a_503_and_change_nothing_while_pages_can_be_read(
    alice: User, carol: User, capfd: pytest.CaptureFixture[str]
) -> None:
    client = visiting(carol)
    capfd.readouterr()
    with redis_with_a_full_disk():
        for path in ("/statuses/", f"/@{alice.username}/follow/") * 3:
            answer = client.post(path, {"text": "lost?"})
            assert answer.status_code == 503
            assert answer["Retry-After"]
        assert client.get("/settings/").status_code == 200
    assert not Status.objects.filter(author=carol).exists()
    assert not Follow.objects.filter(follower=carol).exists()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.django_db
def test_health_is_red(client: Client) -> None:
    with redis_with_a_full_disk():
        answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["redis"] == "refuses commands"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("full_database")
def test_a_full_database_is_a_503(carol: User) -> None:
    client = visiting(carol)
    answers = (client.post("/statuses/", {"text": "word " * 50}) for _ in range(200))
    refused = next(answer for answer in answers if answer.status_code != 302)
    assert refused.status_code == 503
    assert refused["Retry-After"]


def test_the_embedded_redis_never_drops_keys_to_make_room() -> None:
    redis: Any = get_client()
    assert redis.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
