"""Migrations when several hosts start at once: one applies them, the others wait for it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor

from redistools.client import get_client
from redistools.lock import HeldLock, LockNotAcquired, lock

from .supervisor import say

# A host that dies while migrating holds the others up for this long.
LOCK_SECONDS = 30.0
PATIENCE_SECONDS = 3600.0


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
            say("database", "another host is migrating: waiting until it is done")
            held = stack.enter_context(_lock(wait=PATIENCE_SECONDS))
        stack.enter_context(held.kept())
        yield


def _lock(*, wait: float) -> AbstractContextManager[HeldLock]:
    return lock(get_client(), "migrate", timeout=LOCK_SECONDS, wait=wait)
