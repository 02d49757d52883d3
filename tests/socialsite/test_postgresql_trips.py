"""What PostgreSQL gets along with the next statement."""

from contextlib import suppress
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from tests import postgres
from users.models import User

pytestmark = [postgres.needed, pytest.mark.usefixtures("alice", "bob")]

backend: Any = connection  # ours knows more than Django's
RENAME = "UPDATE users_user SET name = %s WHERE username = 'alice'"


def rename(name: str) -> None:
    backend.execute_later(RENAME, [name])


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
