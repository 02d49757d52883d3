"""A Redis that dies, may have lost its last moments, and is started again, as by systemd."""

import os
import shutil
import subprocess
import threading
import time
from collections import deque
from pathlib import Path
from typing import Self

from processes import embedded_redis

LOOK_SECONDS = 0.1
FORGOTTEN_SECONDS = 2.0
# How long the disk is slow before Redis dies.
SLOW_SECONDS = 2.0


class MortalRedis:
    def __init__(self, folder: Path) -> None:
        self.socket = folder / "redis.sock"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._library = build_slow_disk(folder)
        self._sizes: deque[tuple[float, int]] = deque(maxlen=int(30 / LOOK_SECONDS))
        self._ended = threading.Event()
        self._watch = threading.Thread(target=self._note_sizes, daemon=True)

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def can_be_slow(self) -> bool:
        return self._library is not None

    def __enter__(self) -> Self:
        self.start()
        self._watch.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._ended.set()
        self._watch.join()
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def start(self) -> None:
        environment = {"SLOW_DISK": str(self._slow_sign)}
        if self._library is not None:
            environment["LD_PRELOAD"] = str(self._library)
        # Without a rewrite, all that was ever written is in the order in which it was.
        command = [*embedded_redis.command(self.socket), "--auto-aof-rewrite-percentage", "0"]
        self._process = subprocess.Popen(command, env=os.environ | environment)
        embedded_redis.wait_until_ready(self.socket, self._process)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def kill_after_slow_syncs(self) -> None:
        """Redis postpones writes to its log while the disk is slow, and forgets those."""
        self._slow_sign.touch()
        time.sleep(SLOW_SECONDS)
        self.kill()
        self._slow_sign.unlink()

    def forget(self, seconds: float = FORGOTTEN_SECONDS) -> None:
        """Of a dead server: cut its log back to what it was."""
        then = time.monotonic() - seconds
        sizes = [size for moment, size in list(self._sizes) if moment <= then]
        if sizes:
            os.truncate(self.log, sizes[-1])

    @property
    def log(self) -> Path:
        """One file in Redis 6, several in Redis 7, of which the last grows."""
        parts = sorted(self._folder.glob("appendonlydir/*.incr.aof"))
        return parts[-1] if parts else self._folder / "appendonly.aof"

    @property
    def _slow_sign(self) -> Path:
        return self._folder / "slow"

    def _note_sizes(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            if self.log.exists():
                self._sizes.append((time.monotonic(), self.log.stat().st_size))


def build_slow_disk(folder: Path) -> Path | None:
    """None without a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    source, library = Path(__file__).parent / "slow_disk.c", folder / "slow_disk.so"
    command = [compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library
