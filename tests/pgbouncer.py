"""A real PgBouncer in front of the tests' PostgreSQL, which pools by transaction."""

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from tests import postgres
from tests.running_site import wait_for

PORT = 6432  # of the socket's name alone: it listens on no network
# Far fewer than the threads of a site.
SERVER_CONNECTIONS = 4
HOW_TO_GET_IT = "PgBouncer is not installed: `sudo apt-get install pgbouncer`, then try again"
CONFIGURATION = """
[databases]
* = host={postgres} user={user}
[pgbouncer]
unix_socket_dir = {folder}
listen_port = {port}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
server_reset_query =
"""


@contextlib.contextmanager
def running_pgbouncer(folder: Path) -> Iterator[None]:
    path = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if path is None:
        pytest.fail(HOW_TO_GET_IT)
    written = folder / "pgbouncer.ini"
    written.write_text(
        CONFIGURATION.format(
            postgres=postgres.folder(),
            user=postgres.USER,
            folder=folder,
            port=PORT,
            connections=SERVER_CONNECTIONS,
        )
    )
    if os.geteuid() == 0:
        folder.chmod(0o755)
        shutil.chown(folder, "nobody", "nogroup")
    command = [*(postgres.AS_NOBODY if os.geteuid() == 0 else ()), path, "-q", str(written)]
    pooler = subprocess.Popen(command)
    try:
        wait_for(lambda: _answers(folder), what="PgBouncer")
        yield
    finally:
        pooler.terminate()
        pooler.wait(timeout=30)


def url_of(folder: Path, database: str) -> str:
    return f"postgres://{postgres.USER}@{quote(str(folder), safe='')}:{PORT}/{database}"


def _answers(folder: Path) -> bool:
    with contextlib.suppress(psycopg.OperationalError):
        psycopg.connect(
            host=str(folder), port=PORT, user=postgres.USER, dbname=postgres.MIGRATED
        ).close()
        return True
    return False
