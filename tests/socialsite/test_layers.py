"""Who may import whom: the table in docs/architecture.md, from the ground up, holds in the code."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR
MOST_MODULES = 20
ROW = re.compile(r"^\| `(?P<app>\w+)/` \|", re.MULTILINE)


def apps() -> list[str]:
    """As the architecture page lists them; an app knows those above it in the table."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    _, _, section = page.partition("## Who imports whom")
    return ROW.findall(section)


def imports_of(app: str) -> Iterator[tuple[Path, str]]:
    """Commands are entry points, like the roof: they may start what the site stands on."""
    for path in sorted((ROOT / app).rglob("*.py")):
        if {"migrations", "management"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from ((path, name.name) for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                yield from ((path, f"{node.module}.{name.name}") for name in node.names)


def test_every_app_is_in_the_table() -> None:
    folders = {app for app in settings.INSTALLED_APPS if (ROOT / app).is_dir()}
    assert set(apps()) == folders
    assert len(apps()) == len(folders)


def test_an_app_imports_only_from_those_above_it() -> None:
    order = apps()
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for place, app in enumerate(order)
        for path, name in imports_of(app)
        if name.split(".")[0] in order[place + 1 :]
    ]
    assert wrong == []


def test_apps_are_installed_in_this_order() -> None:
    """What follows a write runs in the order of the apps (`taskqueue/consequences.py`)."""
    order = apps()
    assert [app for app in settings.INSTALLED_APPS if app in order] == order


def test_no_folder_holds_more_than_twenty_modules() -> None:
    """Beyond that it gets rooms by role, so that a listing shows the architecture."""
    modules = [
        path for app in apps() for path in (ROOT / app).rglob("*.py") if path.stem != "__init__"
    ]
    sizes = Counter(path.parent.relative_to(ROOT) for path in modules)
    assert [f"{folder}: {size}" for folder, size in sizes.items() if size > MOST_MODULES] == []


def test_a_task_is_started_in_a_way_that_says_whether_it_survives_a_crash() -> None:
    """By `taskqueue.start`, and not by the task's own `enqueue`."""
    calls = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for app in apps()
        if app != "taskqueue"
        for path in sorted((ROOT / app).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in ("enqueue", "enqueue_many")
    ]
    assert calls == []
