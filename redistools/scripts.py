"""Lua scripts from files, and batches of commands and scripts that cost one round trip."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from redis.exceptions import NoScriptError

from .calls import listened_to
from .client import Client, get_client, get_replicas
from .exchange import Argument as Argument
from .exchange import Command, exchange
from .servers.cluster import GuardedCluster
from .servers.node_exchange import exchange_with_nodes
from .servers.replica_exchange import SentToReplicas
from .servers.replicas import Replicas
from .staleness import is_stale_ok

# Of all commands together; beyond it they take several round trips.
MOST_ARGUMENTS = 20_000
INCLUDE = re.compile(r"^--include (?:(?P<app>\w+)/)?(?P<name>\w+)$", re.MULTILINE)


class Script:
    """The file `lua/<name>.lua` beside the module that calls it: `Script(__file__, "acquire")`.

    Calling it costs one round trip, or two after a server lost its scripts. Redis has no modules: a
    line `--include name` is replaced by that file, `--include app/name` by that of another app.

    Replicas may run one that is `stale_ok`, where its caller lets them (`redistools/staleness.py`).
    Its last argument is then `stale`: it must not write, since it may be on a replica.
    """

    def __init__(self, beside: str, name: str, *, stale_ok: bool = False) -> None:
        self.name, self.stale_ok = name, stale_ok
        self.source = _read(Path(beside).parent / "lua", name)
        self.sha = hashlib.sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, client: Client, keys: Sequence[str], args: Sequence[Argument] = ()) -> Any:
        batch = Batch(client)
        batch.call(self, keys, args)
        return batch.run()[0]


def _read(folder: Traversable, name: str) -> str:
    def included(line: re.Match[str]) -> str:
        return _read(files(line["app"]) / "lua" if line["app"] else folder, line["name"])

    return INCLUDE.sub(included, (folder / f"{name}.lua").read_text())


class Batch:
    """Commands and scripts sent together: one round trip, or one to each node of a cluster.

    Very long batches take several. Not a transaction: commands of other clients may run in between.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._commands: list[Command] = []
        self._calls: dict[int, tuple[Script, Sequence[str], Sequence[Argument]]] = {}
        self._scripts: dict[str, str] = {}
        self._fences: set[int] = set()
        self._stale_ok: set[int] = set()

    def __len__(self) -> int:
        return len(self._commands)

    def add(self, *command: Argument, stale_ok: bool = False) -> None:
        """Its first argument is its key. With `stale_ok`, a replica may answer."""
        if stale_ok:
            self._stale_ok.add(len(self._commands))
        self._commands.append(command)

    def call(self, script: Script, keys: Sequence[str], args: Sequence[Argument] = ()) -> None:
        if script.stale_ok:
            self._stale_ok.add(len(self._commands))
            args = [*args, "stale" if is_stale_ok() else ""]
        self._calls[len(self._commands)] = (script, keys, args)
        self._scripts[script.sha] = script.source
        self._commands.append(("EVALSHA", script.sha, len(keys), *keys, *args))

    def fence(self) -> None:
        """What is added later runs after what was added before, even on a cluster."""
        if isinstance(self._client, GuardedCluster):
            self._fences.add(len(self._commands))

    def run(self) -> list[Any]:
        """The answers in order. Raises the first error, but only after all commands have run."""
        if not self._commands:
            return []
        answers = listened_to(self._name, self._exchange)
        for place, (script, keys, args) in self._calls.items():
            # Only if somebody has flushed the server's scripts by hand.
            if isinstance(answers[place], NoScriptError):
                # EVAL runs it, and also loads it on the server that lacked it.
                answers[place] = self._client.eval(script.source, len(keys), *keys, *args)
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    @property
    def _name(self) -> str:
        """For those who measure: of the script or command, if there is only one."""
        if len(self._commands) > 1:
            return "batch"
        return self._calls[0][0].name if self._calls else str(self._commands[0][0])

    def _exchange(self) -> list[Any]:
        if replicas := self._replicas():
            return self._exchange_with_replicas(replicas)
        if not self._fences and sum(map(len, self._commands)) <= MOST_ARGUMENTS:
            return self._send(self._commands)
        return self._exchange_with_masters(range(len(self._commands)))

    def _replicas(self) -> Replicas | None:
        may_ask = self._stale_ok and not self._fences and is_stale_ok()
        return get_replicas() if may_ask and self._client is get_client() else None

    def _exchange_with_replicas(self, replicas: Replicas) -> list[Any]:
        """One round trip, to replicas and masters at once; one more if a replica fails."""
        stale = {place: self._commands[place] for place in sorted(self._stale_ok)}
        asked = SentToReplicas(self._client, replicas, stale)
        others = [place for place in range(len(self._commands)) if place not in asked.places]
        try:
            answers = dict(zip(others, self._exchange_with_masters(others), strict=True))
        except BaseException:
            asked.hang_up()
            raise
        answers |= asked.answers(self._scripts)
        left = [place for place in stale if place not in answers]
        answers |= zip(left, self._exchange_with_masters(left), strict=True)
        return [answers[place] for place in range(len(self._commands))]

    def _exchange_with_masters(self, places: Sequence[int]) -> list[Any]:
        return [answer for part in self._parts(places) for answer in self._send(part)]

    def _parts(self, places: Sequence[int]) -> Iterator[list[Command]]:
        """Nearly always one; a set of a million members is loaded in parts."""
        part: list[Command] = []
        room = MOST_ARGUMENTS
        for place in places:
            command = self._commands[place]
            if part and (len(command) > room or place in self._fences):
                yield part
                part, room = [], MOST_ARGUMENTS
            part.append(command)
            room -= len(command)
        if part:
            yield part

    def _send(self, commands: list[Command]) -> list[Any]:
        if isinstance(self._client, GuardedCluster):
            return exchange_with_nodes(self._client, commands, self._scripts)
        return exchange(self._client, commands, self._scripts)
