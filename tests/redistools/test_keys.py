import inspect
import re
from pathlib import Path

import pytest
from django.conf import settings as site
from pytest_django import Settings
from redis.crc import key_slot

from redistools import keys
from redistools.client import get_client

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
    settings.PARTITIONS = 16
    settings.REDIS_KEY_PREFIX = "site:"
    assert keys.user(18) == f"site:user:{{{keys.tag(2)}}}:18"
    assert keys.cache_entry("a", "", 1) == "site:cache:1:a"


def test_users_of_one_partition_share_a_slot(settings: Settings) -> None:
    assert key_slot(keys.user(3).encode()) == key_slot(keys.user(3 + settings.PARTITIONS).encode())
    assert key_slot(keys.user(3).encode()) != key_slot(keys.user(4).encode())


def test_no_key_has_the_number_of_a_partition_as_its_tag() -> None:
    """Numbers spread unevenly over slots; and it would not share a slot with the other keys."""
    assert not re.search(r"\{\{\{partition", inspect.getsource(keys))


@pytest.mark.parametrize("name", ["exports", "user:7", "a}b", "{a}"])
def test_the_keys_of_a_semaphore_share_a_slot(name: str) -> None:
    tickets, leases = keys.semaphore_tickets(name), keys.semaphore_leases(name)
    assert tickets != leases
    assert key_slot(tickets.encode()) == key_slot(leases.encode())


@pytest.mark.parametrize("prefix", ["", "site:", "odd*[1]:"])
def test_a_name_says_its_kind_and_number(prefix: str, settings: Settings) -> None:
    settings.REDIS_KEY_PREFIX = prefix
    assert (keys.kind(keys.home(18)), keys.number(keys.home(18))) == ("home", 18)
    assert (keys.kind(keys.status(5)), keys.number(keys.status(5))) == ("status", 5)
    assert (keys.kind(keys.pull_authors(3)), keys.number(keys.pull_authors(3))) == (
        "pull_authors",
        0,
    )
    assert keys.number("status:" + "9" * 40) == 0, "SQL would choke on it"


def test_the_pattern_of_everything_finds_no_key_of_another_site(settings: Settings) -> None:
    client = get_client()
    settings.REDIS_KEY_PREFIX = f"{settings.REDIS_KEY_PREFIX}o[dx]d*:"
    client.set(keys.home(1), "ours")
    client.set(keys.home(1).replace("o[dx]d*", "odd-other"), "theirs")
    assert list(client.scan_iter(match=keys.everything(), count=10_000)) == [keys.home(1)]
