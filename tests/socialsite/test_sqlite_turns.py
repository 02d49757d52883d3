"""Writers of SQLite take turns: nobody overtakes one who has been waiting."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings as site
from django.db import OperationalError, connection, transaction

from socialsite.sqlite.turns import Turns
from tests.races import in_threads
from users.models import User

TURNS_EACH = 40

# Each turn is recorded, and lasts until the other writer stands in line behind it.
WRITER = """
import fcntl, sys, time
from pathlib import Path
from socialsite.sqlite.turns import Turns

name, other, folder, turns_each = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
turns, log = Turns(folder / "db"), folder / "log"

def is_other_in_line():
    with (folder / "db-next").open() as line:
        try:
            fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return log.read_text().count(other) == turns_each

for _ in range(turns_each):
    assert turns.take(patience=30)
    with log.open("a") as lines:
        lines.write(name)
    deadline = time.monotonic() + 30
    while not is_other_in_line():
        assert time.monotonic() < deadline, "nobody came in line"
        time.sleep(0.001)
    turns.give_back()
"""


def start_writer(name: str, other: str, folder: Path) -> "subprocess.Popen[bytes]":
    arguments = [name, other, str(folder), str(TURNS_EACH)]
    return subprocess.Popen([sys.executable, "-c", WRITER, *arguments], cwd=site.BASE_DIR)


def test_processes_take_turns(tmp_path: Path) -> None:
    with start_writer("a", "b", tmp_path) as one, start_writer("b", "a", tmp_path) as two:
        pass
    assert (one.returncode, two.returncode) == (0, 0)
    order = (tmp_path / "log").read_text()
    assert order in ("ab" * TURNS_EACH, "ba" * TURNS_EACH)


def test_a_turn_ends_with_its_holder(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from socialsite.sqlite.turns import Turns; "
    code += "Turns(Path(sys.argv[1])).take(patience=1); import os; os._exit(9)"
    died = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "db")], cwd=site.BASE_DIR, check=False
    )
    assert died.returncode == 9
    turns = Turns(tmp_path / "db")
    assert turns.take(patience=1)
    turns.give_back()


def test_threads_do_not_wait_for_ever(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "db")
    assert turns.take(patience=1)
    assert not turns.take(patience=0.01)
    turns.give_back()
    assert turns.take(patience=1)
    turns.give_back()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_gives_its_turn_back_however_it_ends(carol: User) -> None:
    with pytest.raises(ValueError, match="rolled back"), transaction.atomic():
        raise ValueError("rolled back")
    with transaction.atomic():
        User.objects.update(name="Carol")
    with transaction.atomic():
        connection.close()

    def rename() -> int:
        try:
            with transaction.atomic():
                return User.objects.filter(pk=carol.pk).update(name="C")
        finally:
            connection.close()

    assert in_threads(4, rename) == [1, 1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_cannot_begin_takes_no_turn(
    carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody with another tool holds SQLite's own lock."""
    connection.ensure_connection()
    connection.connection.execute("PRAGMA busy_timeout=10")
    other = sqlite3.connect(str(connection.settings_dict["NAME"]), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="locked"), transaction.atomic():
        pass
    other.execute("ROLLBACK")
    other.close()
    done = threading.Event()

    def write() -> None:
        try:
            with transaction.atomic():
                User.objects.filter(pk=carol.pk).update(name="C")
            done.set()
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(timeout=10)
    assert done.is_set()
    connection.close()
