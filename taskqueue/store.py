"""One queue in Redis. Each move of a task between its parts is one atomic script in `lua/`.

| part     | type   | holds                                                              |
|----------|--------|--------------------------------------------------------------------|
| ready    | zset   | ids that may run, scored by priority, then by order of arrival     |
| delayed  | zset   | ids scored by the millisecond at which they are due                |
| leases   | zset   | ids lent to workers, scored by the millisecond at which that ends  |
| failed   | zset   | ids that are not tried again, scored by the millisecond they failed |
| unique   | hash   | unique key → id of the waiting task that holds it                  |
| wake     | list   | at most one token, on which idle workers block                     |
| sequence | string | counts arrivals                                                    |
| rate     | hash   | minute → how many tasks ended in it                                |
| periods  | hash   | periodic task → number of the period it was last queued for        |
| task:ID  | hash   | a task: body, status, priority, workers, errors, outcome …         |
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from redistools import keys
from redistools.client import get_client, get_listening_client
from redistools.life import UNKNOWN, believed_life, correct
from redistools.scripts import Argument, Batch, Script

PARTS = ("ready", "delayed", "leases", "failed", "unique", "wake", "sequence", "rate", "periods")
# Bounds the time of one call to `claim` when many tasks come due at once.
MOVES_PER_CLAIM = 200

enqueue_script = Script(__file__, "enqueue")
claim_script = Script(__file__, "claim")
finish_script = Script(__file__, "finish")
renew_script = Script(__file__, "renew")
give_back_script = Script(__file__, "give_back")
begin_period_script = Script(__file__, "begin_period")


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    queue_name: str
    body: str
    priority: int = 0
    run_after: datetime | None = None
    unique_key: str = ""
    is_repeat: bool = False  # it may have been done before, but what it did may be lost


class Claim(NamedTuple):
    """A task lent to a worker. The number is the claim's fencing token: it never comes twice."""

    queue_name: str
    id: str
    number: int
    body: str | None
    workers: str
    errors: str
    times_lost: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Ending:
    claim: Claim
    kind: Literal["done", "again", "failed"]
    errors: str
    outcome: str
    delay: float = 0.0
    keep: int = 0  # seconds for which the result of a task that is done can be read
    life: str = UNKNOWN  # of the server, as far as was known when the run began


@dataclass(frozen=True, slots=True)
class Claims:
    """What a claim brought, and in how many seconds something falls due (None: nothing waits)."""

    tasks: list[Claim]
    next_in: float | None


def milliseconds(moment: datetime) -> int:
    """Rounded up: no task may run early."""
    return math.ceil(moment.timestamp() * 1000)


class Queue:
    """The scripts of one queue. Every method is one round trip and atomic unless it says otherwise.

    `now` replaces the server's clock, for tests.
    """

    def __init__(self, name: str, *, now: datetime | None = None) -> None:
        self.name = name
        self.client = get_client()
        self.keys = [keys.queue(name, part) for part in PARTS] + [keys.queued_task(name, "")]
        self.wake_key = keys.queue(name, "wake")
        self.now: Argument = "" if now is None else milliseconds(now)

    def add_messages(self, batch: Batch, messages: Iterable[Message]) -> None:
        """Adds messages in a batch; O(log n) for each. Answers the id that stands for each."""
        arguments: list[Argument] = [self.now]
        for message in messages:
            due = milliseconds(message.run_after) if message.run_after else 0
            arguments += (message.id, message.body, message.priority, due, message.unique_key)
            arguments.append(int(message.is_repeat))
        batch.call(enqueue_script, self.keys, arguments)

    def believed_life(self) -> str:
        """To ask for before a task runs, for its `Ending`."""
        return believed_life(self.client, self.wake_key)

    def add_endings(self, batch: Batch, endings: Iterable[Ending], *, most_failed: int) -> None:
        """Records endings in a batch; O(log n) for each. `refused` reads the answer."""
        arguments: list[Argument] = [self.now, most_failed]
        for end in endings:
            delay = int(end.delay * 1000)
            arguments += (end.claim.id, end.claim.number, end.kind, delay, end.errors, end.outcome)
            arguments += (end.keep, end.life)
        batch.call(finish_script, self.keys, arguments)

    def refused(self, answer: list[str]) -> list[str]:
        life, *ids = answer
        correct(self.client, self.wake_key, life)
        return ids

    def add_claim(self, batch: Batch, *, most: int, lease: float, worker: str, nap: float) -> None:
        """Claims up to `most` tasks in a batch; O(log n) for each. `claims` reads the answer."""
        lease_ms, nap_ms = int(lease * 1000), int(nap * 1000)
        arguments = [self.now, most, lease_ms, worker, MOVES_PER_CLAIM, nap_ms]
        batch.call(claim_script, self.keys, arguments)

    def claims(self, answer: list[Any]) -> Claims:
        next_in, life, *values = answer
        correct(self.client, self.wake_key, life)
        fields = [iter(values)] * (len(Claim._fields) - 1)
        return Claims(
            [Claim(self.name, *task) for task in zip(*fields, strict=True)],
            None if next_in < 0 else next_in / 1000,
        )

    def renew(self, claims: Iterable[Claim], *, lease: float) -> set[str]:
        """Extends the leases; returns the ids of tasks that are no longer ours."""
        tokens = [token for claim in claims for token in (claim.id, claim.number)]
        arguments = [self.now, int(lease * 1000), *tokens]
        return set(renew_script(self.client, self.keys, arguments))

    def lent(self) -> list[Claim]:
        """What workers hold. Two round trips, not atomic; O(n)."""
        ids: Any = self.client.zrange(keys.queue(self.name, "leases"), 0, -1)
        batch = Batch(self.client)
        for task_id in ids:
            batch.add("HMGET", keys.queued_task(self.name, task_id), "claim", "workers")
        found: list[list[Any]] = batch.run()
        return [
            Claim(self.name, task_id, number, None, workers, "[]", 0, "{}")
            for task_id, (number, workers) in zip(ids, found, strict=True)
            if workers
        ]

    def give_back(self, claims: Iterable[Claim]) -> int:
        """Undoes claims; a task that is no longer ours stays where it is."""
        tokens = [token for claim in claims for token in (claim.id, claim.number)]
        return int(give_back_script(self.client, self.keys, tokens))

    def begin_period(
        self, name: str, *, every: float, body: str, priority: int
    ) -> tuple[bool, float]:
        """Queues a periodic task unless it was in this period; and the seconds to the next one."""
        arguments = [self.now, name, int(every * 1000), body, priority]
        queued, rest = begin_period_script(self.client, self.keys, arguments)
        return bool(queued), rest / 1000

    def wait_for_work(self, *, seconds: float) -> bool:
        """Blocks until there may be work, or time is up. True: this worker took the wake-up."""
        return get_listening_client().blpop([self.wake_key], timeout=seconds) is not None

    def pass_wake_up_on(self) -> None:
        self.client.rpush(self.wake_key, 1)


def find_task(queue_names: Iterable[str], task_id: str) -> dict[str, str] | None:
    """The task's hash, from whichever queue has it. One round trip, not atomic over queues."""
    batch = Batch(get_client())
    for name in queue_names:
        batch.add("HGETALL", keys.queued_task(name, task_id))
    return next((dict(fields) for fields in batch.run() if fields), None)
