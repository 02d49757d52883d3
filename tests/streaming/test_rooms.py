"""The rooms of `streaming/`, and a post's way through them, are as its README says."""

import ast
import asyncio
import re
import threading
from collections.abc import Callable, Iterator, MutableMapping
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from statuses.services import post_status
from statuses.words.terms import phrase_of
from streaming.asked.listener import Listener
from streaming.engine.hub import Hub
from streaming.server.app import end
from tests.streaming.test_hub import join, open_stream, run, until
from tests.walks import Walk, is_printed, walking
from users.models import User

ROOT: Path = settings.BASE_DIR
PAGE = (ROOT / "streaming" / "README.md").read_text()
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


def test_the_functions_on_the_way_to_a_stream_are_where_the_page_says() -> None:
    _, _, section = PAGE.partition("## From a post to a stream")
    hops = HOP.findall(section.partition("\n## ")[0])
    assert len(hops) > 5
    for file, names in hops:
        source = (ROOT / file).read_text()
        for name in re.findall(r"`(\w+)", names):
            assert f"def {name}(" in source, f"{name} is not in {file}"


def test_a_post_reaches_a_stream_through_few_files(alice: User) -> None:
    """From the service to the socket: what is done on the way for others does not count."""
    walk = run_and_follow(alice)
    print(walk)
    # The process may still be looking into the log for what it missed before.
    files = [it for it in walk.files if it != "streaming/engine/log.py"]
    assert "streaming/engine/writer.py" in files
    assert len(files) <= 14, walk
    assert is_printed("post", files), f"REFRESH_WALKS=1 refreshes it: {walk}"


def run_and_follow(author: User) -> Walk:
    sent = bytearray()
    walks: list[Walk] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.extend(message["body"])

    async def scenario(hub: Hub) -> None:
        listener = Listener(user_id=author.pk, token_id=1)
        stream = open_stream(listener, track=frozenset({phrase_of("coffee")}))
        join(hub, stream)
        writing = asyncio.create_task(stream.writer.write_to(send))
        await in_new_thread(partial(post, author, "No tea. #coffee!"))
        await until(lambda: b"No tea" in sent)
        with walking(through="streaming") as walk:
            await in_new_thread(partial(post, author, "Tea or #coffee?"))
            await until(lambda: b"Tea or" in sent)
        await end([writing])
        walks.append(walk)

    run(scenario)
    return walks[0]


async def in_new_thread(work: Callable[[], None]) -> None:
    """One that was started before would not be followed."""
    thread = threading.Thread(target=work)
    thread.start()
    await until(lambda: not thread.is_alive())


def post(author: User, text: str) -> None:
    try:
        post_status(author=author, text=text)
    finally:
        connection.close()
