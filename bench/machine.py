"""What the figures were measured on."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

from processes.embedded_redis import server_binary


def description() -> str:
    return (
        f"{os.cpu_count()} cores ({_processor()}) with {_gigabytes()} GB of memory, "
        f"{platform.system()} {platform.release().split('-')[0]}, "
        f"Python {platform.python_version()}, Django {version('django')}, "
        f"Redis {_redis_version()} on a unix socket, redis-py {version('redis')} with hiredis, "
        f"SQLite {sqlite3.sqlite_version}"
    )


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _gigabytes() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _redis_version() -> str:
    """`Redis server v=6.2.14 sha=…`"""
    command = [server_binary(), "--version"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return output.partition("v=")[2].split()[0]
