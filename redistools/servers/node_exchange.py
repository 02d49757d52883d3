"""Many commands to a Redis Cluster: one write to each node, and only then the answers of all.

redis-py's pipeline asks a server which keys each script has, one script at a time: 23 round trips
before it sends a post. We know where the key of a command stands. What fails at the first try,
because a slot moves, or a node is gone or waits for its replicas, is left to redis-py.
"""

from collections.abc import Sequence
from typing import Any

import redis
from redis.crc import key_slot
from redis.exceptions import AskError, ClusterDownError, ClusterError, ResponseError, TryAgainError

from ..exchange import NO_SCRIPTS, Argument, Command, Sources, own_connection, parse
from ..outages.fence import is_fenced
from .cluster import GuardedCluster

# A command's key is its first argument, except in these.
KEY_PLACES: dict[Argument, int] = {"EVALSHA": 3, "EVAL": 3}
# The node does not have the slot, or is about to lose it, or the cluster can't serve it for now.
# MOVED is a kind of ASK.
NOT_HERE = (AskError, TryAgainError, ClusterDownError)


def exchange_with_nodes(
    cluster: GuardedCluster, commands: Sequence[Command], scripts: Sources = NO_SCRIPTS
) -> list[Any]:
    """An answer or a ResponseError for each command. One round trip to each node, all at once.

    Commands about one slot run in their order, as long as the slot stays where it is. A node that
    does not answer in time opens the breaker, and nothing is sent again.
    """
    cluster.breaker.check()
    shares = _shares(cluster, commands)
    answers: dict[int, Any] = {}
    try:
        for share in shares:
            share.send(scripts)
        for share in shares:
            answers |= share.read()
    except BaseException as error:
        for share in shares:
            share.hang_up()
        if isinstance(error, redis.TimeoutError):
            cluster.breaker.open(error)
        raise
    return [
        answers[place] if place in answers else _left_to_redis_py(cluster, command)
        for place, command in enumerate(commands)
    ]


class _Share:
    def __init__(self, node: redis.Redis) -> None:
        self._node = node
        self._own = own_connection(node)
        self._commands: dict[int, Command] = {}
        self._is_sent = False

    def add(self, place: int, command: Command) -> None:
        self._commands[place] = command

    def send(self, scripts: Sources) -> None:
        try:
            self._own.send([*self._commands.values()], scripts)
            self._is_sent = True
        except redis.ConnectionError:
            self.hang_up()

    def read(self) -> dict[int, Any]:
        if not self._is_sent:
            return {}
        commands = [*self._commands.values()]
        try:
            answers = self._own.read(commands)
        except redis.ConnectionError:
            self.hang_up()
            return {}
        parsed = zip(self._commands, parse(self._node, commands, answers), strict=True)
        return {
            place: answer
            for place, answer in parsed
            if not isinstance(answer, NOT_HERE) and not is_fenced(answer)
        }

    def hang_up(self) -> None:
        """The next batch must not read answers that were meant for this one."""
        self._own.connection.disconnect()


def _shares(cluster: GuardedCluster, commands: Sequence[Command]) -> list[_Share]:
    shares: dict[str, _Share] = {}
    for place, command in enumerate(commands):
        node = node_of(cluster, command)
        if node is not None:
            if node.name not in shares:
                shares[node.name] = _Share(cluster.get_redis_connection(node))
            shares[node.name].add(place, command)
    return list(shares.values())


def node_of(cluster: GuardedCluster, command: Command) -> Any:
    """The master that has the slot, as far as we know; None if the command has no key."""
    key_place = KEY_PLACES.get(command[0], 1)
    if key_place >= len(command):
        return None
    key = command[key_place]
    slot = key_slot(key if isinstance(key, bytes) else str(key).encode())
    nodes = cluster.nodes_manager.slots_cache.get(slot)
    return nodes[0] if nodes else None


def _left_to_redis_py(cluster: GuardedCluster, command: Command) -> Any:
    """It asks the cluster for its newest slots, and tries again for a while."""
    try:
        return cluster.execute_command(*command)
    except ClusterError:
        raise
    except ResponseError as error:
        return error
