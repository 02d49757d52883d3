import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from pytest_django import Settings

from redistools import keys
from redistools.client import Client

MANY = {f"name {number}": number for number in range(50)}


@pytest.fixture(autouse=True)
def cache_on_any_redis(any_redis_url: str, settings: Settings) -> None:
    """The site's own cache settings, but on another Redis."""
    settings.REDIS_URL = any_redis_url
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": any_redis_url}}


def test_values_come_back_as_they_were() -> None:
    cache.set("alice", {"name": "Zoë", "tags": ["a", None]})
    assert cache.get("alice") == {"name": "Zoë", "tags": ["a", None]}
    assert cache.get("bob", "nobody") == "nobody"


def test_many_values_are_read_at_once() -> None:
    cache.set_many(MANY)
    assert cache.get_many([*MANY, "nobody"]) == MANY
    assert cache.get_many([]) == {}


def test_counting_adding_and_deleting() -> None:
    cache.set("visits", 1)
    assert cache.incr("visits", 2) == 3
    assert cache.touch("visits", 100)
    assert not cache.add("visits", 9)
    assert cache.delete("visits")
    assert "visits" not in cache
    with pytest.raises(ValueError, match="not found"):
        cache.incr("visits")


def test_entries_carry_the_prefix_of_the_site(any_client: Client, key_prefix: str) -> None:
    cache.set("alice", 1)
    assert any_client.get(f"{key_prefix}cache:1:alice") == "1"


def test_clearing_the_cache_keeps_everything_else(
    any_client: Client, settings: Settings, key_prefix: str
) -> None:
    other_site = f"other-{key_prefix}"
    any_client.set(keys.user(1), "alice")
    any_client.set(f"{other_site}cache:1:alice", "alice")
    cache.set_many(MANY)
    cache.set("alice", 1, version=2)
    cache.clear()
    assert not any(name in cache for name in MANY)
    assert cache.get("alice", version=2) is None
    assert any_client.get(keys.user(1)) == "alice"
    assert any_client.get(f"{other_site}cache:1:alice") == "alice"


def test_clearing_takes_a_prefix_by_the_letter(
    any_client: Client, settings: Settings, key_prefix: str
) -> None:
    settings.REDIS_KEY_PREFIX = f"{key_prefix}*[a]?\\:"
    lookalike = f"{key_prefix}xay\\:cache:1:alice"
    any_client.set(lookalike, "alice")
    cache.set("alice", 1)
    cache.clear()
    assert cache.get("alice") is None
    assert any_client.get(lookalike) == "alice"


class Bomb:
    """Unpickling it would make a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[Path], object], tuple[Path]]:
        return Path.touch, (self.path,)


def unreadable_values(tmp_path: Path) -> list[bytes]:
    bomb = pickle.dumps(Bomb(tmp_path / "exploded"))
    return [bomb, pickle.dumps({"user": "alice"}), b"\xff\xfe", b"", b"[" * 100_000, b"1" * 5000]


def test_what_is_no_json_counts_as_missing_and_runs_no_code(
    any_client: Client, key_prefix: str, tmp_path: Path
) -> None:
    for value in unreadable_values(tmp_path):
        any_client.set(f"{key_prefix}cache:1:planted", value)
        assert cache.get("planted", "missing") == "missing"
    assert not (tmp_path / "exploded").exists()
    cache.set("planted", "new")
    assert cache.get("planted") == "new"
