"""Asking replicas, while masters are asked other things.

What a replica can't answer, because it is gone, loading, or a master by now, is left to its master.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import redis
from redis.exceptions import NoScriptError, ResponseError

from ..exchange import Command, Sources, own_connection, pack, parse, read_answers
from .cluster import GuardedCluster
from .node_exchange import node_of
from .replicas import ONLY, Replica, Replicas

if TYPE_CHECKING:
    from ..client import Client


def read_only(connection: Any) -> None:
    """Called when a connection is opened: a replica of a cluster refuses to answer on others."""
    connection.on_connect()
    connection.send_command("READONLY")
    connection.read_response()


class SentToReplicas:
    """Commands that replicas were sent. Their answers are read once the masters have answered."""

    def __init__(
        self, client: "Client", replicas: Replicas, commands: Mapping[int, Command]
    ) -> None:
        self._client, self._replicas = client, replicas
        self._questions: dict[Replica, _Question] = {}
        self._chosen: dict[str, Replica | None] = {}
        for place, command in commands.items():
            if replica := self._replica_for(command):
                question = self._questions.setdefault(replica, _Question(replica))
                question.commands[place] = command
        for question in list(self._questions.values()):
            self._guarded(question, question.send)

    @property
    def places(self) -> set[int]:
        return {place for question in self._questions.values() for place in question.commands}

    def answers(self, sources: Sources) -> dict[int, Any]:
        """By place; without those that no replica could answer."""
        found: dict[int, Any] = {}
        for question in list(self._questions.values()):
            found |= self._guarded(question, lambda it=question: it.read(sources)) or {}
        return found

    def hang_up(self) -> None:
        """The next batch must not read answers that were meant for this one."""
        for question in self._questions.values():
            question.connection.disconnect()

    def _replica_for(self, command: Command) -> Replica | None:
        master = ONLY
        if isinstance(self._client, GuardedCluster):
            node = node_of(self._client, command)
            if node is None:
                return None
            master = node.name
        if master not in self._chosen:
            self._chosen[master] = self._replicas.of(master)
        return self._chosen[master]

    def _guarded(self, question: "_Question", work: Any) -> Any:
        try:
            return work()
        except redis.RedisError as error:
            question.connection.disconnect()
            del self._questions[question.replica]
            self._replicas.leave_alone(question.replica, error)
        except BaseException:
            self.hang_up()
            raise


class _Question:
    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self.connection = own_connection(replica.client).connection
        self.commands: dict[int, Command] = {}

    def send(self) -> None:
        self.connection.connect()
        self.connection.send_packed_command([pack([*self.commands.values()])])

    def read(self, sources: Sources) -> dict[int, Any]:
        commands = [*self.commands.values()]
        client = self.replica.client
        answers = parse(client, commands, read_answers(self.connection, commands))
        for number, (command, answer) in enumerate(zip(commands, answers, strict=True)):
            if isinstance(answer, NoScriptError):
                # EVAL runs it, and loads it: a replica has scripts of its own.
                source = sources[str(command[1])]
                answers[number] = client.execute_command("EVAL", source, *command[2:])
        by_place = zip(self.commands, answers, strict=True)
        return {place: it for place, it in by_place if not isinstance(it, ResponseError)}
