"""A request does not wait for PostgreSQL for ever."""

import time
from collections.abc import Iterator

import pytest
from django.db import OperationalError, connection, transaction

from socialsite.patience import Patience
from socialsite.postgresql.silence import silence
from tests import postgres
from tests.running_site import wait_for
from users.models import User

pytestmark = [postgres.needed, pytest.mark.django_db(transaction=True)]

LONG_SECONDS = 30


@pytest.fixture
def brief_patience(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Patience, "seconds", 0.3)
    yield
    wait_for(lambda: silence.error is None, what="PostgreSQL to be back")
    connection.close()


def sleep(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


@pytest.mark.usefixtures("brief_patience")
def test_a_wait_that_is_too_long_ends_and_the_next_request_goes_on() -> None:
    began = time.monotonic()
    with pytest.raises(OperationalError):
        sleep(LONG_SECONDS)
    assert time.monotonic() - began < LONG_SECONDS
    wait_for(lambda: silence.error is None, what="the probe")
    connection.close_if_unusable_or_obsolete()
    assert not User.objects.exists()


@pytest.mark.usefixtures("brief_patience")
def test_nothing_is_written_by_a_transaction_that_waited_too_long() -> None:
    def write() -> None:
        with transaction.atomic():
            User.objects.create(username="alice", email="alice@example.com")
            sleep(LONG_SECONDS)

    with pytest.raises(OperationalError):
        write()
    wait_for(lambda: silence.error is None, what="the probe")
    connection.close_if_unusable_or_obsolete()
    assert not User.objects.exists()


@pytest.mark.usefixtures("brief_patience")
def test_during_a_silence_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "error", OperationalError("no answer"))
    with pytest.raises(OperationalError, match="PostgreSQL is away: no answer"):
        User.objects.exists()
    monkeypatch.setattr(silence, "error", None)
    connection.close_if_unusable_or_obsolete()
    assert not User.objects.exists()


def test_workers_and_commands_wait_as_long_as_it_takes() -> None:
    assert Patience.seconds is None
    sleep(0.5)
