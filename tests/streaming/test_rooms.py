"""The rooms of `streaming/`, and a post's way through them, are as the architecture page says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR
PAGE = (ROOT / "docs" / "architecture.md").read_text()
ROOM = re.compile(r"^\| `(streaming(?=/\*)|streaming/\w+(?=/))[/*.py]*` \|", re.MULTILINE)
HOP = re.compile(r"^\| \d+ \| `(?P<file>[\w/.]+)` \| (?P<names>.+?) \|", re.MULTILINE)


def rooms() -> list[str]:
    """The root, then the folders, as packages."""
    return [room.replace("/", ".") for room in ROOM.findall(PAGE)]


def modules_of(room: str) -> list[Path]:
    return sorted((ROOT / room.replace(".", "/")).glob("*.py"))


def imports_of(room: str) -> Iterator[tuple[str, str]]:
    """What a room's modules import from `streaming`, by full name."""
    for path in modules_of(room):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                above = room.split(".")[: len(room.split(".")) + 1 - node.level]
                base = ".".join([*above, node.module] if node.module else above)
                yield from ((str(path.relative_to(ROOT)), f"{base}.{n.name}") for n in node.names)


def is_in(name: str, room: str) -> bool:
    return f"{name}.".startswith(f"{room}.")


def test_every_room_is_in_the_table() -> None:
    packages = {f"streaming.{path.parent.name}" for path in ROOT.glob("streaming/*/__init__.py")}
    assert set(rooms()) == {"streaming"} | packages - {"streaming.management"}


def test_a_room_imports_only_from_those_above_it() -> None:
    order = rooms()
    wrong = [
        f"{path} imports {name}"
        for place, room in enumerate(order)
        for path, name in imports_of(room)
        if any(is_in(name, below) for below in order[place + 1 :])
    ]
    assert any(is_in(name, order[1]) for _, name in imports_of(order[-1]))
    assert wrong == []


def test_a_post_reaches_a_stream_through_at_most_ten_files() -> None:
    _, _, section = PAGE.partition("## From a post to a stream")
    hops = HOP.findall(section.partition("\n## ")[0])
    assert 5 < len(hops) <= 10
    for file, names in hops:
        source = (ROOT / file).read_text()
        for name in re.findall(r"`(\w+)", names):
            assert f"def {name}(" in source, f"{name} is not in {file}"
