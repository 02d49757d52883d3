"""A lane: one line of tasks, run one after another. A worker has as many as its concurrency."""

import contextlib
import logging
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from redistools.client import is_away
from redistools.scripts import Batch

from ..store import Claim, Claims, Ending, Queue
from .runner import Runner

# Claim about this much work at once: enough to make the round trip cheap beside it, but so little
# that results are prompt and no other worker starves.
BATCH_SECONDS = 0.025
BIGGEST_BATCH = 100

T = TypeVar("T")

logger = logging.getLogger("taskqueue.worker")


class Lane:
    """Claims a batch, runs it, and finishes it in the round trip that claims the next.

    Another thread renews what is `held` and relieves a lane whose task takes long; they share
    deques and a dict, whose single operations are atomic in Python.
    """

    def __init__(
        self,
        runner: Runner,
        queues: Sequence[Queue],
        *,
        worker_id: str,
        nap: float = 0.0,
        tidy_up: Callable[[], None] = lambda: None,
    ) -> None:
        self.runner = runner
        self.queues = {queue.name: queue for queue in queues}
        self.held: dict[str, Claim] = {}
        self.running_since: float | None = None
        self._turns = deque(queues)
        self._worker_id = worker_id
        self._nap = nap
        self._tidy_up = tidy_up
        self._pending: deque[Claim] = deque()
        self._endings: deque[Ending] = deque()
        self._seconds_per_task = BATCH_SECONDS

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def exchange(self) -> Claims:
        """Finishes what is done and claims from the first queue that has something.

        One round trip for each queue asked. The queues take turns at being first.
        """
        waits: list[float] = []
        for queue in list(self._turns):
            self._turns.rotate(-1)
            claims = self._exchange_with(queue)
            if claims.tasks:
                return claims
            if claims.next_in is not None:
                waits.append(claims.next_in)
        return Claims([], min(waits, default=None))

    def _exchange_with(self, queue: Queue) -> Claims:
        batch = Batch(queue.client)
        endings = self._add_endings(batch)
        lease = self.runner.backend.settings.LEASE
        queue.add_claim(
            batch, most=self._batch_size(), lease=lease, worker=self._worker_id, nap=self._nap
        )
        *answers, answer = self._send(batch, endings)
        self._let_go(endings, answers)
        claims = queue.claims(answer)
        self.held |= {claim.id: claim for claim in claims.tasks}
        self._pending.extend(claims.tasks)
        return claims

    def finish(self) -> None:
        batch = Batch(next(iter(self.queues.values())).client)
        endings = self._add_endings(batch)
        self._let_go(endings, self._send(batch, endings))

    def relieve(self) -> None:
        """Records what is done and gives back what is not begun. Safe from another thread."""
        if self._pending:
            self.give_back_pending()
        if self._endings:
            self.finish()

    def run_pending(self, *, stopping: Callable[[], bool] = lambda: False) -> int:
        """Runs what was claimed, until it is done or the worker stops; returns how many ran.

        When a task fails because Redis is away, the others wait: they would fail as well.
        """
        began, ran = time.perf_counter(), 0
        while not stopping() and (claim := _take(self._pending.popleft)):
            self.running_since = time.monotonic()
            life = self.queues[claim.queue_name].believed_life()
            ending = self.runner.run(claim)
            self._endings.append(replace(ending, life=life))
            self.running_since = None
            ran += 1
            if ending.kind != "done":
                self._tidy_up()
                if is_away():
                    break
        self._tidy_up()
        if ran:
            pace = (time.perf_counter() - began) / ran
            self._seconds_per_task = max(pace, (pace + self._seconds_per_task) / 2)
        return ran

    def give_back_pending(self) -> None:
        """Lets other workers have what was claimed but not begun. One round trip for each queue."""
        claims: deque[Claim] = deque()
        while claim := _take(self._pending.pop):
            claims.appendleft(claim)
        try:
            self.give_back(claims)
        except BaseException:
            self._pending.extend(claims)
            raise

    def give_back(self, claims: Collection[Claim]) -> None:
        for queue, group in self._by_queue(claims):
            queue.give_back(group)
        for claim in claims:
            self._forget(claim)

    def renew(self) -> None:
        """Extends every lease, and drops from the line what another worker has taken over."""
        for queue, group in self._by_queue(list(self.held.values())):
            lost = queue.renew(group, lease=self.runner.backend.settings.LEASE)
            for claim in group:
                if claim.id in lost:
                    with contextlib.suppress(ValueError):  # it runs already
                        self._pending.remove(claim)
                    self._forget(claim)

    def _batch_size(self) -> int:
        return max(1, min(BIGGEST_BATCH, int(BATCH_SECONDS / self._seconds_per_task)))

    def _by_queue(self, claims: Collection[Claim]) -> Iterator[tuple[Queue, list[Claim]]]:
        for name, queue in self.queues.items():
            if group := [claim for claim in claims if claim.queue_name == name]:
                yield queue, group

    def _add_endings(self, batch: Batch) -> list[Ending]:
        taken: dict[str, list[Ending]] = defaultdict(list)
        while ending := _take(self._endings.popleft):
            taken[ending.claim.queue_name].append(ending)
        most_failed = self.runner.backend.settings.MAX_FAILED
        for name, endings in taken.items():
            self.queues[name].add_endings(batch, endings, most_failed=most_failed)
        return [ending for endings in taken.values() for ending in endings]

    def _send(self, batch: Batch, endings: list[Ending]) -> list[Any]:
        try:
            return batch.run()
        except BaseException:
            self._endings.extendleft(reversed(endings))
            raise

    def _let_go(self, endings: list[Ending], answers: list[list[str]]) -> None:
        for ending in endings:
            self._forget(ending.claim)
        names = dict.fromkeys(ending.claim.queue_name for ending in endings)
        for name, answer in zip(names, answers, strict=True):
            for task_id in self.queues[name].refused(answer):
                logger.warning("Task id=%s was no longer ours: its outcome is dropped", task_id)

    def _forget(self, claim: Claim) -> None:
        # A task that was lost and came back to this lane is held under a newer claim.
        if self.held.get(claim.id) is claim:
            del self.held[claim.id]


def _take(pop: Callable[[], T]) -> T | None:
    try:
        return pop()
    except IndexError:
        return None
