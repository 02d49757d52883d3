"""Runs `decoder.py`: reads what somebody uploaded, in a process that may die of it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .decoder import Refused

ROOT = Path(__file__).parents[1]
# Isolated, so the folder of the site is not where modules are looked for.
START = "import sys; sys.path.append(sys.argv.pop(1)); from pictures.decoder import main; main()"
# It has less time of a processor; on a busy machine that takes longer.
PATIENCE_SECONDS = 25.0
# All that it gets of our environment, which may hold passwords.
KEPT = ("LD_LIBRARY_PATH", "SYSTEMROOT")


def made_files(content: bytes, task: dict[str, Any]) -> dict[str, bytes]:
    """By their endings. Raises Refused: with `too_costly` if it took too much time or memory."""
    # A fresh interpreter: a fork of a process with threads may inherit a lock that nobody frees.
    command = [sys.executable, "-I", "-c", START, str(ROOT), json.dumps(task)]
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    try:
        done = subprocess.run(
            command,
            input=content,
            capture_output=True,
            env=environment,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Refused("too_costly") from error
    if done.returncode < 0:  # ended by a signal: a limit, or a decoder that crashed
        raise Refused("too_costly")
    if done.returncode:
        raise RuntimeError(f"The decoder of pictures failed: {done.stderr[-2_000:]!r}")
    return _parsed(done.stdout)


def _parsed(output: bytes) -> dict[str, bytes]:
    line, _, rest = output.partition(b"\n")
    head = json.loads(line)
    if code := head.get("refused"):
        raise Refused(code)
    files, place = {}, 0
    for ending, size in head["files"].items():
        files[ending] = rest[place : place + size]
        place += size
    return files
