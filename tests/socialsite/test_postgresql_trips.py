"""What PostgreSQL gets along with the next statement, and what it is told in short."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from socialsite.postgresql.prepared import OFTEN
from tests import postgres
from users.models import User

pytestmark = [postgres.needed, pytest.mark.usefixtures("alice", "bob")]

backend: Any = connection  # ours knows more than Django's
RENAME = "UPDATE users_user SET name = %s WHERE username = 'alice'"
numbers = count()


def rename(name: str) -> None:
    backend.execute_later(RENAME, [name])


@transaction.atomic
def prepare_what_fails(text: str) -> None:
    backend.execute_later("UPDATE users_user SET username = 'bob' WHERE username = 'alice'", [])
    rename_often(text, 1)


@transaction.atomic
def call_alice_bob() -> None:
    rename("undone")
    backend.execute_later("UPDATE users_user SET username = 'bob' WHERE username = %s", ["alice"])


def name_of_alice() -> str:
    return User.objects.get(username="alice").name


def test_a_transaction_begins_with_its_first_statement() -> None:
    with transaction.atomic():
        assert connection.connection.info.transaction_status.name == "IDLE"
        User.objects.update(name="100%")
        assert connection.connection.info.transaction_status.name == "INTRANS"
    assert name_of_alice() == "100%"


def test_what_waits_is_done_before_the_next_statement() -> None:
    with transaction.atomic():
        rename("Later; 100%s")
        assert name_of_alice() == "Later; 100%s"


def test_what_waits_is_committed() -> None:
    with transaction.atomic():
        rename("one")
        rename("two")
    assert name_of_alice() == "two"


def test_what_waits_is_rolled_back() -> None:
    before = name_of_alice()
    with transaction.atomic():
        rename("never")
        transaction.set_rollback(True)
    assert name_of_alice() == before


def test_a_savepoint_takes_along_only_what_came_after_it() -> None:
    with transaction.atomic():
        rename("outside")
        with suppress(ZeroDivisionError), transaction.atomic():
            rename("inside")
            raise ZeroDivisionError
    assert name_of_alice() == "outside"


def test_the_commit_raises_the_error_of_what_waited() -> None:
    with pytest.raises(IntegrityError):
        call_alice_bob()
    assert name_of_alice() != "undone"


def test_outside_a_transaction_nothing_waits() -> None:
    rename("now")
    assert not connection.connection.waiting


def test_a_connection_that_the_server_ended_is_found_without_asking() -> None:
    connection.ensure_connection()
    assert connection.is_usable()
    with postgres.connect("postgres") as other:
        pid = connection.connection.info.backend_pid
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    assert not connection.is_usable()
    connection.close()


@contextmanager
def sent_to_the_server() -> Iterator[list[str]]:
    """What each trip of this connection takes along."""
    sent: list[str] = []
    execute = psycopg.ClientCursor.execute

    def watched(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        found = execute(self, query, *arguments, **options)
        sent.append(self._query.query.decode())
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.ClientCursor, "execute", watched)
        yield sent


def rename_often(text: str, times: int) -> None:
    for number in range(times):
        backend.execute_later(text, [f"{number}; 100%s"])


@pytest.fixture
def update() -> str:
    """Of which no other test has heard."""
    return f"{RENAME} AND name NOT LIKE 'no {next(numbers)}%%'"


def test_what_comes_often_is_prepared(update: str) -> None:
    with sent_to_the_server() as sent:
        rename_often(update, OFTEN + 2)
    said = [it.split()[0] for it in sent]
    assert said == ["UPDATE"] * (OFTEN - 1) + ["PREPARE"] + ["EXECUTE"] * 3
    assert name_of_alice() == f"{OFTEN + 1}; 100%s"


def test_what_waits_goes_along_with_what_is_prepared(update: str) -> None:
    rename_often(update, OFTEN - 1)
    with sent_to_the_server() as sent, transaction.atomic():
        rename("first")
        rename_often(update, 2)
    assert [[it.split()[0] for it in trip.split("; ")] for trip in sent[:1]] == [
        ["BEGIN", "UPDATE", "PREPARE"]
    ]
    assert name_of_alice() == "1; 100%s"


def test_a_statement_that_was_prepared_in_vain_is_prepared_again(update: str) -> None:
    rename_often(update, OFTEN - 1)
    with pytest.raises(IntegrityError):
        prepare_what_fails(update)
    with sent_to_the_server() as sent:
        rename_often(update, 1)
    assert [it.split()[0] for it in sent] == ["PREPARE", "EXECUTE"]


def test_what_is_prepared_outlives_a_transaction_that_fails(update: str) -> None:
    with suppress(ZeroDivisionError), transaction.atomic():
        rename_often(update, OFTEN)
        raise ZeroDivisionError
    rename_often(update, 1)
    assert name_of_alice() == "0; 100%s"
