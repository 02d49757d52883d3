"""Keeps the processes of a site alive: starts, shows what they print, restarts, replaces, stops."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from .listening import Listener
from .readiness import Reports
from .tied_to_parent import tied_to_us

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
# A child that ran this long had started well: it is restarted at once.
HEALTHY_SECONDS = 5.0
STOP_SECONDS = 25.0
# A successor that can't serve by then won't.
SUCCESSOR_SECONDS = 120.0
POLL_SECONDS = 0.1

Process = subprocess.Popen[bytes]
Say = Callable[[str, str], None]


def say(who: str, what: str) -> None:
    """One readable line: the process, then what it says."""
    print(f"{who:>9} │ {what}", flush=True)


@dataclass
class Child:
    """One process of the site and its recent failures."""

    name: str
    command: list[str]
    is_store: bool = False
    listener: Listener | None = None
    # How many of its processes report that they can serve.
    reporting: int = 0
    # Not while it is to replace another, or was replaced.
    is_kept_alive: bool = True
    process: Process | None = None
    quick_deaths: int = 0
    started_at: float = 0.0
    restart_at: float | None = None

    def delay(self) -> float:
        if self.quick_deaths == 0:
            return 0.0
        return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(self.quick_deaths - 1, 10))

    def successor(self) -> "Child":
        return replace(self, process=None, is_kept_alive=False, quick_deaths=0, restart_at=None)

    def is_dead(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def age(self) -> float:
        return time.monotonic() - self.started_at


@dataclass
class Supervisor:
    folder: Path
    say: Say = say
    # Files that every child keeps open.
    inherited: tuple[int, ...] = ()
    children: list[Child] = field(default_factory=list)
    _renewal: Iterator[None] | None = None

    def start(
        self,
        name: str,
        command: list[str],
        *,
        is_store: bool = False,
        listener: Listener | None = None,
        reporting: int = 0,
    ) -> Process:
        child = Child(name, command, is_store, listener, reporting)
        self.children.append(child)
        return self._spawn(child)

    def first_dead(self) -> Child | None:
        return next((child for child in self.children if child.is_dead()), None)

    def watch(self) -> None:
        """Restart what dies, until an exception (a signal handler's) ends the watch."""
        while True:
            for child in self.children:
                self._look_after(child)
            self._renew_on()
            time.sleep(POLL_SECONDS)

    def renew(self, prepare: list[str]) -> None:
        """Replace the users of the stores while `watch` runs, after a command that prepares it.

        Only sets it off: safe in a signal handler. While one is under way, another is ignored.
        """
        if self._renewal is None:
            self._renewal = self._renewing(prepare)

    def stop(self) -> None:
        """Stop the users of the stores together, then the stores."""
        for child in self.children:
            if child.listener is not None:
                child.listener.close()
        for is_store in (False, True):
            group = [child for child in self.children if child.is_store is is_store]
            for child in group:
                if child.process is not None:
                    child.process.terminate()
            deadline = time.monotonic() + STOP_SECONDS
            for child in group:
                self._wait_or_kill(child, deadline)

    def kill(self) -> None:
        """A hard stop, after a second Ctrl-C."""
        for child in self.children:
            _signal_group(child, signal.SIGKILL)

    def _renew_on(self) -> None:
        if self._renewal is not None:
            try:
                next(self._renewal)
            except StopIteration:
                self._renewal = None

    def _renewing(self, prepare: list[str]) -> Iterator[None]:
        """One step for each look that `watch` takes at the children."""
        self.say("serve", "replacing the processes …")
        preparing = Child("prepare", prepare, is_kept_alive=False)
        yield from self._running(preparing)
        if preparing.process and preparing.process.returncode:
            self.say("serve", "the preparation failed: the old processes stay")
            return
        for child in [child for child in self.children if not child.is_store]:
            if not (yield from self._replacing(child)):
                self.say("serve", f"the new {child.name} did not start: the old one stays")
                return
        self.say("serve", "replaced all processes")

    def _running(self, child: Child) -> Iterator[None]:
        self.children.append(child)
        self._spawn(child)
        while not child.is_dead():
            yield
        self.children.remove(child)

    def _replacing(self, child: Child) -> Generator[None, None, bool]:
        """The old process ends only once the new one can serve. Returns whether it could."""
        successor = child.successor()
        self.children.append(successor)
        with Reports(child.reporting) as reports:
            self._spawn(successor, reports)
            while not self._is_ready(successor, reports):
                if successor.is_dead() or successor.age() > SUCCESSOR_SECONDS:
                    self._end(successor)
                    return False
                yield
        child.is_kept_alive, successor.is_kept_alive = False, True
        yield from self._leaving(child)
        return True

    def _is_ready(self, child: Child, reports: Reports) -> bool:
        if child.reporting:
            return reports.are_all_here()
        return not child.is_dead() and child.age() > HEALTHY_SECONDS

    def _leaving(self, child: Child) -> Iterator[None]:
        if child.process is not None:
            child.process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        while not child.is_dead() and time.monotonic() < deadline:
            yield
        self._end(child)

    def _end(self, child: Child) -> None:
        _signal_group(child, signal.SIGKILL)
        if child.process is not None:
            child.process.wait()
        self.children.remove(child)

    def _spawn(self, child: Child, reports: Reports | None = None) -> Process:
        port = [] if child.listener is None else [child.listener.open()]
        bind = [part for file in port for part in ("--bind", f"fd://{file}")]
        child.process = subprocess.Popen(
            tied_to_us([*child.command, *bind]),
            cwd=self.folder,
            pass_fds=(*self.inherited, *port, *(reports.files if reports else ())),
            env=os.environ | (reports.environment if reports else {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Detached from the terminal: Ctrl-C reaches only us, and we choose the order.
            start_new_session=True,
        )
        child.started_at, child.restart_at = time.monotonic(), None
        threading.Thread(
            target=self._show_output, args=(child.name, child.process), daemon=True
        ).start()
        return child.process

    def _show_output(self, name: str, process: Process) -> None:
        with process.stdout or contextlib.nullcontext(()) as lines:
            for line in lines:
                self.say(name, line.decode(errors="replace").rstrip())

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if not child.is_kept_alive:
            return
        if child.restart_at is not None:
            if now >= child.restart_at:
                self._restart(child)
        elif child.process is not None and child.is_dead():
            was_healthy = now - child.started_at > HEALTHY_SECONDS
            child.quick_deaths = 0 if was_healthy else child.quick_deaths + 1
            child.restart_at = now + child.delay()
            # A dead master's workers would hold its port for a while.
            _signal_group(child, signal.SIGKILL)
            # Clients need not wait for a process that may never come.
            if child.listener is not None and child.delay():
                child.listener.close()
            how, delay = describe_exit(child.process.returncode), child.delay()
            when = f" in {delay:g} s" if delay else ""
            self.say("serve", f"{child.name} {how}; starting it again{when}")

    def _restart(self, child: Child) -> None:
        try:
            self._spawn(child)
        except OSError as error:  # somebody else took its port while it was closed
            child.quick_deaths += 1
            child.restart_at = time.monotonic() + child.delay()
            self.say("serve", f"{child.name} can't start ({error}); trying again")

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
