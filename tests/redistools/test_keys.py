import inspect
import re
from pathlib import Path

import pytest
from django.conf import settings as site
from pytest_django import Settings
from redis.crc import key_slot

from redistools import keys

DOCUMENT = Path(site.BASE_DIR, "docs", "redis-keys.md").read_text()
COLUMNS = "| key | type | holds | written by | read by | lifetime | rebuilt by |"


def test_the_document_names_every_function_and_no_other() -> None:
    functions = inspect.getmembers(keys, inspect.isfunction)
    public = {name for name, function in functions if not name.startswith("_")}
    assert set(re.findall(r"`keys\.(\w+)`", DOCUMENT)) == public


def test_every_row_of_the_document_fills_every_column() -> None:
    rows = [line for line in DOCUMENT.splitlines() if line.startswith("|")]
    assert COLUMNS in rows
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 7, row
        assert all(cells), row


def test_every_key_begins_with_the_prefix_of_the_site(settings: Settings) -> None:
    settings.REDIS_KEY_PREFIX = "site:"
    assert keys.user(18) == "site:user:{2}:18"
    assert keys.cache_entry("a", "", 1) == "site:cache:1:a"


def test_users_of_one_partition_share_a_slot() -> None:
    assert key_slot(keys.user(3).encode()) == key_slot(keys.user(3 + 16).encode())
    assert key_slot(keys.user(3).encode()) != key_slot(keys.user(4).encode())


@pytest.mark.parametrize("name", ["exports", "user:7", "a}b", "{a}"])
def test_the_keys_of_a_semaphore_share_a_slot(name: str) -> None:
    tickets, leases = keys.semaphore_tickets(name), keys.semaphore_leases(name)
    assert tickets != leases
    assert key_slot(tickets.encode()) == key_slot(leases.encode())
