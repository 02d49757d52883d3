import re
import time
from pathlib import Path

import pytest
from django.conf import settings
from redis.exceptions import ResponseError

from redistools import scripts
from redistools.client import get_client
from redistools.scripts import INCLUDE, Batch, Script
from tests.round_trips import counting_round_trips

read_clock = Script(__file__, "read_clock")
LUA_FILES = sorted(Path(settings.BASE_DIR).glob("[a-z]*/**/lua/*.lua"))
SHARED = {line["name"] for path in LUA_FILES for line in INCLUDE.finditer(path.read_text())}


def test_a_batch_answers_in_order(key_prefix: str) -> None:
    batch = Batch(get_client())
    batch.add("SET", f"{key_prefix}a", 1)
    batch.add("INCR", f"{key_prefix}a")
    assert batch.run() == [True, 2]


def test_an_empty_batch_costs_nothing() -> None:
    assert Batch(get_client()).run() == []


def test_a_batch_raises_the_first_error_after_all_commands_ran(key_prefix: str) -> None:
    batch = Batch(get_client())
    batch.add("SET", f"{key_prefix}a", "text")
    batch.add("INCR", f"{key_prefix}a")
    batch.add("SET", f"{key_prefix}b", "written")
    with pytest.raises(ResponseError):
        batch.run()
    assert get_client().get(f"{key_prefix}b") == "written"


def test_a_long_batch_is_sent_in_parts(key_prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part takes no longer than a command may; the answers look like those of one batch."""
    monkeypatch.setattr(scripts, "MOST_ARGUMENTS", 10)
    batch = Batch(get_client())
    for number in range(7):
        batch.add("RPUSH", f"{key_prefix}list", *range(number + 1))
    get_client().ping()
    with counting_round_trips() as trips:
        assert batch.run() == [1, 3, 6, 10, 15, 21, 28]
    assert len(trips) == 6


def test_a_script_includes_functions_of_another_app() -> None:
    assert read_clock(get_client(), [], [1234]) == "1234"
    assert int(read_clock(get_client(), [], [""])) == pytest.approx(time.time() * 1000, abs=5000)


def test_an_include_that_does_not_exist_is_an_error_at_import(tmp_path: Path) -> None:
    (tmp_path / "lua").mkdir()
    (tmp_path / "lua" / "lost.lua").write_text("--include redistools/nowhere\n")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        Script(str(tmp_path / "store.py"), "lost")


@pytest.mark.parametrize("path", LUA_FILES, ids=lambda path: path.stem)
def test_every_lua_file_has_a_header_and_four_spaces(path: Path) -> None:
    """Purpose, KEYS, ARGV, Returns: in this order, where they apply."""
    header, _, code = path.read_text().partition("\n\n")
    lines = header.splitlines()
    assert all(line.startswith("-- ") for line in lines)
    found = [match[1] for line in lines if (match := re.match(r"-- (KEYS|ARGV|Returns)\b", line))]
    whole = Script(str(path.parent.parent / "store.py"), path.stem).source
    used = [name for name in ("KEYS", "ARGV") if re.search(rf"\b{name}\b", whole)]
    returns = [] if path.stem in SHARED else ["Returns"]
    assert list(dict.fromkeys(found)) == [*used, *returns]
    assert not re.search(r"^(?: {4})* {1,3}\S|\t", code, re.MULTILINE)
