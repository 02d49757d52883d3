import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import connection
from pytest_django import Settings

from demo.people import GUEST, PASSWORD
from processes import migrating, serve
from redistools import keys
from redistools.client import get_client, server_version
from redistools.lock import lock
from tests import postgres
from tests.running_site import site_environment, temporary_folder
from users.models import User

MIGRATE = "import django; django.setup(); from processes.serve import migrate; migrate()"


def test_a_redis_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MINIMUM_VERSION", (99, 1))
    running = ".".join(map(str, server_version(get_client())))
    with pytest.raises(
        serve.ServeError, match=f"Redis {running} is too old: install 99.1 or newer"
    ):
        serve.check_redis()


def test_a_redis_that_is_new_enough_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    serve.check_redis()
    assert "redis │ ready, version" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_first_look_is_told_the_way_in(capsys: pytest.CaptureFixture[str]) -> None:
    serve.print_ways_in()
    assert "/signup/first/?token=" in capsys.readouterr().out
    User.objects.create_user("alice", "alice@example.com")
    serve.print_ways_in()
    assert "make admin" in capsys.readouterr().out
    boss = User.objects.create_superuser("boss", "boss@example.com")
    serve.print_ways_in()
    assert capsys.readouterr().out == ""
    User.objects.filter(pk=boss.pk).update(username=GUEST)
    serve.print_ways_in()
    assert f'log in as         {GUEST}, with the password "{PASSWORD}"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("host", "proxies", "warned"),
    [
        ("127.0.0.1", 0, False),
        ("localhost", 0, False),
        ("::1", 0, False),
        ("0.0.0.0", 0, True),
        ("192.0.2.7", 0, True),
        ("0.0.0.0", 1, False),
    ],
)
def test_ports_that_are_open_without_a_proxy_are_mentioned(
    settings: Settings, capsys: pytest.CaptureFixture[str], host: str, proxies: int, warned: bool
) -> None:
    settings.HOST, settings.TRUSTED_PROXIES = host, proxies
    serve.warn_of_open_ports()
    assert ("no proxy is declared" in capsys.readouterr().out) is warned


class Migrating:
    """What `serve` does to the database, as a separate host."""

    def __init__(self, data_dir: Path, key_prefix: str) -> None:
        environment = site_environment(
            data_dir,
            REDIS_URL=site.REDIS_URL,
            REDIS_KEY_PREFIX=key_prefix,
            DJANGO_SETTINGS_MODULE="socialsite.settings",
            PYTHONUNBUFFERED="1",
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", MIGRATE],
            cwd=site.BASE_DIR,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )

    def says(self) -> str:
        """The next line, without colours and names; waits for it."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rpartition("│ ")[2].strip()

    def end(self) -> None:
        assert self.process.wait(timeout=60) == 0
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.mark.long
def test_hosts_that_start_together_migrate_one_after_another(key_prefix: str) -> None:
    with temporary_folder() as folder:
        if postgres.is_wanted():
            postgres.create_database(folder.name)
        with lock(get_client(), "migrate", timeout=60):
            hosts = [Migrating(folder, key_prefix) for _ in range(2)]
            for host in hosts:
                assert host.says() == "another host is migrating: waiting until it is done"
        outcomes = sorted(host.says() for host in hosts)
        for host in hosts:
            host.end()
    assert outcomes[0].endswith("migrations applied")
    assert outcomes[1] == "ready, up to date"
    assert get_client().exists(keys.lock("migrate")) == 0


@postgres.needed
def test_hosts_that_share_the_database_alone_migrate_one_after_another(key_prefix: str) -> None:
    with temporary_folder() as folder:
        postgres.create_database(folder.name)
        with postgres.connect(folder.name) as holder, holder.transaction():
            holder.execute("SELECT pg_advisory_xact_lock(%s)", [migrating.ADVISORY_LOCK])
            hosts = [Migrating(folder, f"{key_prefix}{number}:") for number in range(2)]
            for host in hosts:
                assert host.says() == "another host is migrating: waiting until it is done"
        outcomes = sorted(host.says() for host in hosts)
        for host in hosts:
            host.end()
    assert outcomes[0].endswith("migrations applied")
    assert outcomes[1] == "ready, up to date"


@postgres.needed
@pytest.mark.django_db(transaction=True)
def test_a_host_that_migrates_for_ever_is_named_also_without_redis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(migrating, "unapplied", lambda: ["one"])
    monkeypatch.setattr(migrating, "PATIENCE_SECONDS", 0)
    name = connection.settings_dict["NAME"]
    with postgres.connect(name) as holder, holder.transaction():
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [migrating.ADVISORY_LOCK])
        with pytest.raises(serve.ServeError, match="Another host has been migrating"):
            serve.migrate()


@pytest.mark.django_db
def test_a_host_with_nothing_to_migrate_waits_for_nobody(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with lock(get_client(), "migrate", timeout=60):
        serve.migrate()
    assert "ready, up to date" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_host_that_migrates_for_ever_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrating, "unapplied", lambda: ["one"])
    monkeypatch.setattr(migrating, "PATIENCE_SECONDS", 0)
    with (
        lock(get_client(), "migrate", timeout=60),
        pytest.raises(serve.ServeError, match="Another host has been migrating"),
    ):
        serve.migrate()
