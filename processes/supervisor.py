"""Keeps the processes of a site alive: starts, shows what they print, restarts, reloads, stops."""

import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .tied_to_parent import tied_to_us

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# A child that ran this long had started well: it is restarted at once.
HEALTHY_SECONDS = 5.0
STOP_SECONDS = 25.0
POLL_SECONDS = 0.1

# Beside what it says itself: for the log that staff read.
logger = logging.getLogger(__name__)

Process = subprocess.Popen[bytes]
Say = Callable[[str, str], None]


def say(who: str, what: str) -> None:
    print(f"{who:>9} │ {what}", flush=True)


@dataclass
class Child:
    name: str
    command: list[str]
    is_store: bool = False
    # It loads the code of now on SIGHUP, as gunicorn does. Others have to be started again.
    reloads: bool = False
    process: Process | None = None
    quick_deaths: int = 0
    started_at: float = 0.0
    restart_at: float | None = None
    kill_at: float | None = None

    def delay(self) -> float:
        if self.quick_deaths == 0:
            return 0.0
        return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(self.quick_deaths - 1, 10))

    def is_dead(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def reload(self) -> None:
        if self.process is None or self.is_dead():
            return
        if self.reloads:
            self.process.send_signal(signal.SIGHUP)
        else:
            self.process.terminate()
            self.kill_at = time.monotonic() + STOP_SECONDS


@dataclass
class Supervisor:
    folder: Path
    say: Say = say
    # Files that every child keeps open.
    inherited: tuple[int, ...] = ()
    children: list[Child] = field(default_factory=list)
    _is_to_reload: bool = False

    def start(
        self, name: str, command: list[str], *, is_store: bool = False, reloads: bool = False
    ) -> Process:
        child = Child(name, command, is_store, reloads)
        self.children.append(child)
        return self._spawn(child)

    def first_dead(self) -> Child | None:
        return next((child for child in self.children if child.is_dead()), None)

    def watch(self) -> None:
        """Restarts what dies, until an exception (a signal handler's) ends the watch."""
        while True:
            if self._is_to_reload:
                self._is_to_reload = False
                self._reload()
            for child in self.children:
                self._look_after(child)
            time.sleep(POLL_SECONDS)

    def reload(self) -> None:
        """Lets the users of the stores load the code of now. Safe in a signal handler."""
        self._is_to_reload = True

    def stop(self) -> None:
        """Stops the users of the stores together, then the stores."""
        for is_store in (False, True):
            group = [child for child in self.children if child.is_store is is_store]
            for child in group:
                if child.process is not None:
                    child.process.terminate()
            deadline = time.monotonic() + STOP_SECONDS
            for child in group:
                self._wait_or_kill(child, deadline)

    def kill(self) -> None:
        for child in self.children:
            _signal_group(child, signal.SIGKILL)

    def _reload(self) -> None:
        self.say("serve", "reloading …")
        for child in self.children:
            if not child.is_store:
                child.reload()

    def _spawn(self, child: Child) -> Process:
        child.process = subprocess.Popen(
            tied_to_us(child.command),
            cwd=self.folder,
            pass_fds=self.inherited,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Detached from the terminal: Ctrl-C reaches only us, and we choose the order.
            start_new_session=True,
        )
        child.started_at = time.monotonic()
        child.restart_at = child.kill_at = None
        output = (child.name, child.process)
        threading.Thread(target=self._show_output, args=output, daemon=True).start()
        return child.process

    def _show_output(self, name: str, process: Process) -> None:
        with process.stdout or contextlib.nullcontext(()) as lines:
            for line in lines:
                self.say(name, line.decode(errors="replace").rstrip())

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                self._spawn(child)
        elif child.process is not None and child.is_dead():
            was_healthy = now - child.started_at > HEALTHY_SECONDS
            child.quick_deaths = 0 if was_healthy else child.quick_deaths + 1
            child.restart_at = now + child.delay()
            # A dead master's workers would hold its port for a while.
            _signal_group(child, signal.SIGKILL)
            how, delay = describe_exit(child.process.returncode), child.delay()
            when = f" in {delay:g} s" if delay else ""
            logger.warning("A process is started again: %s %s", child.name, how)
            self.say("serve", f"{child.name} {how}; starting it again{when}")
        elif child.kill_at is not None and now > child.kill_at:
            _signal_group(child, signal.SIGKILL)

    def _wait_or_kill(self, child: Child, deadline: float) -> None:
        if child.process is None:
            return
        try:
            child.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.say("serve", f"{child.name} did not stop within {STOP_SECONDS:g} s and was killed")
        # Kill what it left in its process group too.
        _signal_group(child, signal.SIGKILL)
        child.process.wait()


def describe_exit(code: int) -> str:
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"stopped with exit code {code}"


def _signal_group(child: Child, number: signal.Signals) -> None:
    """Every child leads its own process group, which may outlive it."""
    if child.process is not None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.process.pid, number)
