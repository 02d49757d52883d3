"""The real `serve`, from the outside: HTTP, signals, processes."""

import contextlib
import re
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import httpx
import psutil
import pytest
from django.conf import settings

from tests import patient_http
from tests.ports import free_ports
from tests.running_site import (
    ReturningSite,
    RunningSite,
    site_environment,
    temporary_folder,
    wait_for,
)


def is_alive(process: psutil.Process) -> bool:
    """A process that has ended stays listed until init has reaped it."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_serve_answers_on_both_ports(site: RunningSite) -> None:
    for url in (site.url, site.stream_url):
        answer = patient_http.get(f"{url}/healthz")
        assert answer.status_code == 200
        told = {"status": "ok", "sql": "ok", "redis": "ok"}
        assert answer.json() == (told | {"subscription": "ok"} if url == site.stream_url else told)
    assert "Good company" in patient_http.get(site.url).text


def test_serve_starts_as_many_stream_processes_as_told(site: RunningSite) -> None:
    assert len(site.child("socialsite.asgi").children()) == 2


def test_serve_says_what_it_does_in_order(site: RunningSite) -> None:
    told = ["redis │ ready", "migrations applied", "files collected", "the site is at"]
    places = [site.output.index(line) for line in told]
    assert places == sorted(places)
    ready = "worker │ ready, runs tasks, 4 at a time\n"
    wait_for(lambda: ready in site.output, what="its worker")
    assert "INFO" not in site.output.partition(ready)[0]


def test_an_empty_site_is_begun_with_a_link_that_serve_prints(site: RunningSite) -> None:
    [link] = re.findall(r"begin with +(\S+)", site.output)
    assert "You will be the administrator" in patient_http.get(link).text
    # What the groups of roles may do is set before the site is there.
    asked = "from django.contrib.auth.models import Group; print(Group.objects.count())"
    assert site.run(asked).strip() == "2"


def test_the_data_folder_is_private(site: RunningSite) -> None:
    folder = Path(site.environment["SOCIALSITE_DATA_DIR"])
    private = [path for path in folder.rglob("*") if "static" not in path.parts]
    names = {path.name for path in private}
    assert {"socialsite.sqlite3", "socialsite.sqlite3-wal", "lock", "secret_key"} < names
    assert [path for path in (folder, *private) if stat.S_IMODE(path.stat().st_mode) & 0o077] == []


def test_the_embedded_redis_listens_on_no_tcp_port(site: RunningSite) -> None:
    server = site.child("redis-server")
    assert server.net_connections(kind="inet") == []


@pytest.mark.parametrize(
    "words",
    [
        ("gunicorn", "socialsite.wsgi"),
        ("gunicorn", "socialsite.asgi"),
        ("manage.py", "worker"),
        ("redis-server",),
    ],
    ids=["web", "streaming", "worker", "redis"],
)
def test_a_killed_child_comes_back(site: RunningSite, words: tuple[str, ...]) -> None:
    victim = site.child(*words)
    victim.kill()
    wait_for(lambda: not victim.is_running(), what="the child to die")

    def came_back() -> bool:
        try:
            return site.child(*words).pid != victim.pid and site.is_healthy()
        except LookupError:
            return False

    wait_for(came_back, what=f"{words} to come back")
    assert "was killed by SIGKILL; starting it again" in site.output


def test_a_second_serve_on_the_same_folder_is_refused(site: RunningSite) -> None:
    folder = Path(site.environment["SOCIALSITE_DATA_DIR"])
    refused = _failed_start(site_environment(folder, **_free_port_settings()))
    assert f"(id {site.process.pid}) already uses the data folder" in refused


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_leaves_no_process_and_keeps_the_data(
    returning_site: ReturningSite, number: signal.Signals
) -> None:
    site = returning_site.running()
    with returning_site.redis() as redis:
        redis.set(f"kept over {number.name}", 1)
    processes = site.children()
    assert len(processes) >= 5
    assert site.stop(number) == 0
    assert [process for process in processes if is_alive(process)] == []

    again = returning_site.running()
    with returning_site.redis() as redis:
        assert redis.get(f"kept over {number.name}") == b"1"
    assert "ready, up to date" in again.output


def test_a_new_start_waits_for_the_processes_of_a_serve_that_was_killed(
    returning_site: ReturningSite,
) -> None:
    killed = returning_site.running()
    web = killed.child("web_worker")
    web.suspend()  # so that it can't end yet
    killed.process.kill()
    killed.process.wait()
    again = returning_site.start()
    wait_for(lambda: "waiting for the processes of an earlier run to end" in again.output)
    web.resume()
    again.wait_until_ready()


def test_a_serve_that_is_killed_outright_takes_its_children_along(
    returning_site: ReturningSite,
) -> None:
    site = returning_site.running()
    processes = site.children()
    site.stop(signal.SIGKILL)
    _gone, alive = psutil.wait_procs(processes, timeout=20)
    assert alive == []


def _free_port_settings() -> dict[str, str]:
    port, stream_port = free_ports(2)
    return {"PORT": str(port), "STREAM_PORT": str(stream_port)}


def _failed_start(environment: dict[str, str], *launcher: str) -> str:
    """The only line printed by a start that ended with exit code 1."""
    run = subprocess.run(
        [*launcher, sys.executable, "manage.py", "serve"],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    errors = run.stderr.splitlines()
    assert run.returncode == 1
    assert len(errors) == 1
    assert errors[0].startswith("error: ")
    return errors[0]


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("PORT", "abc", "PORT must be a number from 1 to 65535, got 'abc'"),
        ("PORT", "70000", "PORT must be a number from 1 to 65535, got '70000'"),
        ("DEBUG", "perhaps", "DEBUG must be 1 or 0, got 'perhaps'"),
        ("SITE_URL", "social.example", "SITE_URL must look like https://social.example"),
        ("REDIS_URL", "http://localhost", "REDIS_URL must look like redis://host:6379/0"),
        ("REDIS_URL", "redis://127.0.0.1:1/0", "Redis does not answer"),
        ("DATABASE_URL", "nonsense", "DATABASE_URL must look like postgres://"),
        ("DATABASE_URL", "postgres://127.0.0.1:1/none", "The database can't be used"),
        ("DATABASE_URL", "mysql://u:p@h/n", "only PostgreSQL and SQLite are supported, got mysql"),
        ("FORWARDED_ALLOW_IPS", "proxy", "FORWARDED_ALLOW_IPS must be addresses or networks"),
    ],
)
def test_a_bad_setting_is_one_clear_line(setting: str, value: str, expected: str) -> None:
    with temporary_folder() as folder:
        environment = site_environment(folder, **(_free_port_settings() | {setting: value}))
        assert expected in _failed_start(environment)


def test_debug_pages_for_other_machines_are_refused() -> None:
    with temporary_folder() as folder:
        open_to_all = _free_port_settings() | {"DEBUG": "1", "HOST": "0.0.0.0"}
        assert "DEBUG=1 shows code and settings" in _failed_start(
            site_environment(folder, **open_to_all)
        )


def test_a_port_that_is_taken_is_one_clear_line() -> None:
    with socket.socket() as taken, temporary_folder() as folder:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        environment = site_environment(folder, **(_free_port_settings() | {"PORT": str(port)}))
        assert f"PORT {port} on 127.0.0.1 can't be used" in _failed_start(environment)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("4k", "The data folder"),
        ("64k", "(database or disk is full)"),
        pytest.param("4m", "(database or disk is full)", marks=pytest.mark.long),
        pytest.param("6m", "The static files can't be collected", marks=pytest.mark.long),
    ],
)
def test_a_full_disk_is_one_clear_line(size: str, expected: str) -> None:
    with temporary_folder() as folder:
        # A disk of this size that only this process sees.
        mount = f'mount -t tmpfs -o size={size} tmpfs {folder} && exec "$@"'
        launcher = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, "sh"]
        if subprocess.run([*launcher, "true"], check=False, capture_output=True).returncode:
            pytest.skip("this system lets nobody mount a small disk: it needs user namespaces")
        environment = site_environment(folder / "data", **_free_port_settings())
        error = _failed_start(environment, *launcher)
        assert expected in error
        assert "make room on its disk" in error


def test_a_data_folder_that_can_not_be_made_is_one_clear_line() -> None:
    with temporary_folder() as folder:
        (folder / "file").write_text("in the way")
        environment = site_environment(folder / "file" / "data", **_free_port_settings())
        assert "can't be used" in _failed_start(environment)


def test_a_huge_upload_is_refused_before_it_is_sent(site: RunningSite) -> None:
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as connection:
        connection.sendall(
            b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400000000\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n"
        )
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"This is too large" in answer


def test_idle_and_dripping_connections_stop_no_pages(site: RunningSite) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(24):
            slow = socket.create_connection(("127.0.0.1", site.port), timeout=20)
            stack.enter_context(slow).sendall(b"POST /login/ HTTP/1.1\r\nHost:"[: number * 2])
        assert httpx.get(f"{site.url}/explore/", timeout=4).status_code == 200
