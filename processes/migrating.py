"""Migrations when several hosts start at once: one applies them, the others wait for it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from redistools.client import get_client
from redistools.lock import HeldLock, LockNotAcquired, lock

from .supervisor import say

# A host that dies while migrating holds the others up for this long.
LOCK_SECONDS = 30.0
PATIENCE_SECONDS = 3600.0
# Any number will do, as long as all hosts use the same.
ADVISORY_LOCK = 0x736F6369616C
WAITING = "another host is migrating: waiting until it is done"


def migrate() -> int:
    """Returns how many migrations we applied. Raises LockNotAcquired if others never finish."""
    if not unapplied():
        return 0
    with _alone():
        todo = unapplied()
        if todo:
            call_command("migrate", interactive=False, verbosity=0)
    return len(todo)


def unapplied() -> list[Migration]:
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [migration for migration, _ in plan]


@contextmanager
def _alone() -> Iterator[None]:
    with ExitStack() as stack:
        try:
            held = stack.enter_context(_lock(wait=0))
        except LockNotAcquired:
            say("database", WAITING)
            held = stack.enter_context(_lock(wait=PATIENCE_SECONDS))
        stack.enter_context(held.kept())
        stack.enter_context(_alone_in_postgres())
        yield


@contextmanager
def _alone_in_postgres() -> Iterator[None]:
    """Hosts that share the database need not share a Redis. Also holds behind a pooler."""
    keeper = connections[DEFAULT_DB_ALIAS].copy()
    if keeper.vendor != "postgresql":
        yield
        return
    try:
        keeper.set_autocommit(False)
        _take_advisory_lock(keeper)
        yield
    finally:
        keeper.close()


def _take_advisory_lock(keeper: BaseDatabaseWrapper) -> None:
    with keeper.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        if cursor.fetchone()[0]:
            return
        say("database", WAITING)
        try:
            # 0 would mean for ever.
            patience = max(1, int(1000 * PATIENCE_SECONDS))
            cursor.execute(f"SET LOCAL lock_timeout = '{patience}ms'")
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADVISORY_LOCK])
        except OperationalError as error:
            raise LockNotAcquired(f"The database is still being migrated: {error}") from error


def _lock(*, wait: float) -> AbstractContextManager[HeldLock]:
    return lock(get_client(), "migrate", timeout=LOCK_SECONDS, wait=wait)
