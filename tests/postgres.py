"""The PostgreSQL of a test run: `TEST_DATABASE=postgres` asks for one.

The process that begins the run starts a server in a temporary folder, and migrates one database;
each test process has a copy of it, and so has each site or worker that a test starts.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil
import psycopg
import pytest

USER, MIGRATED = "site", "migrated"
# PostgreSQL refuses to run as root.
AS_NOBODY = "setpriv --reuid=nobody --regid=nogroup --clear-groups --pdeathsig=INT".split()
OPTIONS = {"listen_addresses": "", "max_connections": "300"}
# What tests write need not outlive a power cut, so no commit waits for the disk.
HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
START_SECONDS = 60
# What is tested here without a database starts no process that has one.
PURE = ("users", "statuses", "web")


def is_wanted() -> bool:
    return os.environ.get("TEST_DATABASE") == "postgres"


needed = pytest.mark.skipif(not is_wanted(), reason="runs with TEST_DATABASE=postgres alone")


def concerns(item: pytest.Item) -> bool:
    """Not a test of functions that ask no database: it is the same on any."""
    app = item.path.relative_to(Path(__file__).parent).parts[0]
    fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
    return app not in PURE or bool(fixtures) or item.get_closest_marker("django_db") is not None


def folder() -> Path:
    """That of the server, for all processes of the run."""
    if "TEST_POSTGRES_FOLDER" not in os.environ:
        os.environ["TEST_POSTGRES_FOLDER"] = tempfile.mkdtemp(prefix="postgres-")
    return Path(os.environ["TEST_POSTGRES_FOLDER"])


def url_of(database: str) -> str:
    return f"postgres://{USER}@{quote(str(folder()), safe='')}/{database}"


def create_database(name: str) -> None:
    _execute(f'CREATE DATABASE "{name}"')


def copy_database(name: str) -> None:
    """A new one, with all tables and no rows."""
    _execute(f'CREATE DATABASE "{name}" TEMPLATE "{MIGRATED}"')


class Postgres:
    """A server that can be stopped and started again."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options
        _own(folder())
        data = str(folder() / "data")
        _run("initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        self.start()

    def start(self) -> None:
        settings = [it for name, value in self._options.items() for it in ("-c", f"{name}={value}")]
        places = ["-D", str(folder() / "data"), "-k", str(folder())]
        with (folder() / "log").open("ab") as log:
            command = [*_command("postgres"), *places, *settings]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        _wait_until_ready(self._process)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)  # without waiting for its clients
        self._process.wait(timeout=30)

    def process_ids(self) -> list[int]:
        """The server's own, and those of its connections."""
        process = psutil.Process(self._process.pid)
        return [process.pid, *(child.pid for child in process.children(recursive=True))]


@contextmanager
def running_postgres(options: Mapping[str, str] = OPTIONS | HASTY) -> Iterator[Postgres]:
    try:
        server = Postgres(options)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder(), ignore_errors=True)


def _own(place: Path) -> None:
    place.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(place, "nobody", "nogroup")


def _run(program: str, *arguments: str) -> None:
    command = [*_command(program), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder())


def _command(program: str) -> list[str]:
    path = _path_of(program)
    assert path, f"{program} of PostgreSQL is not installed"
    return [*(AS_NOBODY if os.geteuid() == 0 else ()), path]


def _path_of(program: str) -> str | None:
    installed = Path("/usr/lib/postgresql").glob(f"*/bin/{program}")
    return shutil.which(program) or max(map(str, installed), default=None)


def is_installed() -> bool:
    return _path_of("postgres") is not None


def _wait_until_ready(server: "subprocess.Popen[bytes]") -> None:
    from tests.running_site import wait_for  # which needs the settings, and they need this module

    def answers() -> bool:
        assert server.poll() is None, (folder() / "log").read_text()
        with suppress(psycopg.OperationalError):
            _execute("SELECT 1")
            return True
        return False

    wait_for(answers, seconds=START_SECONDS, what="PostgreSQL")


def connect(database: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """Past Django. Each statement commits by itself."""
    return psycopg.connect(host=str(folder()), user=USER, dbname=database, autocommit=True)


def _execute(statement: str) -> None:
    with connect("postgres") as connection:
        connection.execute(statement)
