"""Stores that answer but can't write: their disk or their memory is full."""

import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from processes import embedded_redis
from redistools.client import get_client
from relations.models import Follow
from socialsite.patience import Patience
from statuses.models import Status
from statuses.services import post_status
from taskqueue.drain import drain
from tests import postgres
from tests.pictures.drawing import encoded, halves, stored, upload
from tests.running_site import temporary_folder, wait_for
from users.models import User
from users.pictures.kinds import AVATAR


@contextmanager
def redis_with_a_full_disk() -> Iterator[None]:
    """Redis refuses writes after a failed save; here a folder has the name of its file."""
    redis: Any = get_client()
    file = Path(redis.config_get("dir")["dir"], redis.config_get("dbfilename")["dbfilename"])
    file.unlink(missing_ok=True)
    file.mkdir()
    redis.config_set("save", "3600 1")
    redis.bgsave()
    wait_for(lambda: redis.info("persistence")["rdb_last_bgsave_status"] == "err")
    try:
        yield
    finally:
        redis.config_set("save", "")
        file.rmdir()


@contextmanager
def full_database() -> Iterator[None]:
    """SQLite may not grow any more, and has no room left by what other tests deleted."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")


LOGIN = {"username": "carol", "password": "a guess"}


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
        login = Client(raise_request_exception=False).post("/login/", LOGIN)
        assert login.status_code == 503
    assert not Status.objects.filter(author=carol).exists()
    assert not Follow.objects.filter(follower=carol).exists()
    assert "Traceback" not in capfd.readouterr().err


@pytest.fixture
def redis_of_its_own(settings: Settings) -> Iterator["subprocess.Popen[bytes]"]:
    """Unlike other processes, it lives on when it may not extend a file: as on a full disk."""
    with temporary_folder() as folder:
        socket = folder / "redis" / "redis.sock"
        settings.REDIS_URL = f"unix://{socket}"
        # Python ignores SIGXFSZ, and hands that on.
        process = subprocess.Popen(embedded_redis.command(socket), restore_signals=False)
        embedded_redis.wait_until_ready(socket, process)
        yield process
        process.kill()
        process.wait()


def test_a_log_on_a_full_disk_refuses_writes_until_there_is_room(
    redis_of_its_own: "subprocess.Popen[bytes]", alice: User, bob: User
) -> None:
    post_status(author=alice, text="Down the rabbit hole")
    reader, author = visiting(bob), visiting(alice)
    assert reader.get("/").status_code == 200
    resource.prlimit(redis_of_its_own.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    wait_for(lambda: author.post("/statuses/", {"text": "lost?"}).status_code == 503)
    count = Status.objects.count()
    assert author.post("/statuses/", {"text": "no room"}).status_code == 503
    for path in ("/", "/@alice/"):
        page = reader.get(path)
        assert page.status_code == 200
        assert "rabbit" in page.content.decode()
    assert Status.objects.count() == count
    resource.prlimit(redis_of_its_own.pid, resource.RLIMIT_FSIZE, (-1, -1))
    wait_for(lambda: author.post("/statuses/", {"text": "room again"}).status_code == 302)
    drain()
    call_command("check_timelines")


@pytest.mark.django_db
def test_health_is_red(client: Client) -> None:
    with redis_with_a_full_disk():
        answer = client.get("/healthz")
    assert answer.status_code == 503
    assert answer.json()["redis"] == "refuses commands"


def test_pages_can_be_read_though_redis_can_write_nothing(alice: User, bob: User) -> None:
    """Some read what Redis holds; those that would have to load something there read SQL."""
    said = post_status(author=alice, text="Down the rabbit hole")
    browsers = [visiting(bob), visiting(alice), Client()]
    browsers[0].get("/")  # of these three, one has a home in Redis
    with redis_with_a_full_disk():
        for browser in browsers:
            for path in ("/", "/@alice/", f"/@alice/{said.pk}/"):
                answer = browser.get(path)
                assert answer.status_code == 200, path
                if path != "/" or browser is not browsers[2]:
                    assert "rabbit" in answer.content.decode(), path


@pytest.mark.django_db(transaction=True)
def test_a_full_database_takes_a_post_whole_or_not_at_all(carol: User) -> None:
    client = visiting(carol)
    accepted, refused, numbers = list[str](), list[Any](), count()
    with full_database():
        while len(refused) < 5:
            text = f"number {next(numbers)} " + "word " * 50
            answer = client.post("/statuses/", {"text": text})
            if answer.status_code == 302:
                accepted.append(text.strip())
            else:
                refused.append(answer)
        assert client.get("/@carol/").status_code == 200
        assert client.get("/").status_code == 200
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer["Retry-After"] for answer in refused)
    assert "word word" in refused[0].content.decode(), "what was typed stays in the form"
    said = Status.objects.order_by("pk").values_list("text", flat=True)
    assert [*said] == accepted
    assert client.post("/statuses/", {"text": "room again"}).status_code == 302
    drain()
    call_command("check_timelines")
    carol.refresh_from_db()
    assert carol.statuses_count == len(accepted) + 1


@pytest.mark.skipif(postgres.is_wanted(), reason="only SQLite has one lock for all")
def test_a_database_that_others_lock_can_be_read_and_a_write_is_a_503(
    carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patience, "seconds", 0.3)
    client = visiting(carol)
    connection.close()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    with closing(other):
        other.execute("BEGIN IMMEDIATE")
        assert client.get("/@carol/").status_code == 200
        answer = client.post("/statuses/", {"text": "a word"})
        assert answer.status_code == 503
        assert "a word</textarea>" in answer.content.decode()
        other.execute("ROLLBACK")
    assert client.post("/statuses/", {"text": "a word"}).status_code == 302
    assert Status.objects.get().text == "a word"
    connection.close()  # the next one waits as usual


@contextmanager
def full_disk() -> Iterator[None]:
    """Files can't grow beyond a few bytes: the same errors, from the same calls."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class FullDisk(FileSystemStorage):
    """Full for pictures alone: the database of the tests is on the same disk."""

    def _save(self, name: str, content: Any) -> str:
        with full_disk():
            saved: str = super()._save(name, content)  # type: ignore[misc] # not in the stubs
        return saved


def test_a_picture_on_a_full_disk_is_a_503_and_changes_nothing(
    carol: User, settings: Settings, tmp_path: Path
) -> None:
    client, files = visiting(carol), "django.core.files.storage.FileSystemStorage"
    there = {"location": tmp_path}
    form = {"name": "Carol", "bio": "New"}
    for storage in (f"{__name__}.FullDisk", files):
        settings.STORAGES = settings.STORAGES | {"default": {"BACKEND": storage, "OPTIONS": there}}
        answer = client.post("/settings/profile/", form | {"new_avatar": upload(encoded(halves()))})
        carol.refresh_from_db()
        if storage != files:
            assert answer.status_code == 503
            assert answer["Retry-After"]
            assert (carol.avatar, carol.name) == ("", "")
    assert answer.status_code == 302
    assert all(stored(AVATAR, carol.avatar))
    drain(now=timezone.now() + timedelta(hours=1))
    assert all(stored(AVATAR, carol.avatar))
    kept = [it for it in tmp_path.rglob("*") if it.is_file()]
    assert all(carol.avatar in it.name for it in kept), "what was cut short is removed"


def test_the_embedded_redis_never_drops_keys_to_make_room() -> None:
    redis: Any = get_client()
    assert redis.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
