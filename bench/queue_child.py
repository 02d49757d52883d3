"""One measurement of one queue, in a process of its own; its last line is the answer.

`python -m bench.queue_child throughput huey 1.0`, in the environment of a benchmark.
"""

import json
import os
import sys
import time
from collections.abc import Callable

import django

django.setup()  # before the models behind the tasks

from bench import queue_tasks  # noqa: E402
from bench.frame import percentile, seconds  # noqa: E402
from bench.measured_queues import QUEUES, MeasuredQueue  # noqa: E402

TASKS, RQ_TASKS = 10_000, 400
DELAYED, HUEY_DELAYED, SPREAD_SECONDS = 10_000, 2_000, 2.0
PINGS, IDLE_SECONDS = 200, 5.0

Measured = dict[str, float]
Measurement = Callable[[MeasuredQueue, str, float], Measured]


def throughput(queue: MeasuredQueue, name: str, scale: float) -> Measured:
    count = round(scale * (RQ_TASKS if name.startswith("rq") else TASKS))
    enqueueing = seconds(lambda: queue.enqueue(count))
    running = seconds(lambda: queue.run_ready(count))
    return {"enqueue": count / enqueueing, "run": count / running}


def lateness(queue: MeasuredQueue, name: str, scale: float) -> Measured:
    """Tasks whose due times are spread over two seconds, queued well before the first is due."""
    count = round(scale * (HUEY_DELAYED if name == "huey" else DELAYED))
    spread = scale * SPREAD_SECONDS
    first_due = time.time() + count / 4_000 + max(1.0, scale * 2.0)
    queue.enqueue_delayed([first_due + spread * n / count for n in range(count)])
    if time.time() > first_due:
        sys.exit("the machine is too slow or too busy: tasks were due before all were queued")
    queue.start()
    for _ in range(count):
        queue_tasks.ran.acquire()
    return _percentiles(queue_tasks.lateness)


def wake_up(queue: MeasuredQueue, _name: str, scale: float) -> Measured:
    """From `enqueue` to the first line of the task, on an idle worker."""
    queue.start()
    taken = []
    for _ in range(round(scale * PINGS)):
        time.sleep(0.01)
        began = time.perf_counter()
        queue.enqueue(1)
        queue_tasks.ran.acquire()
        taken.append(time.perf_counter() - began)
    return _percentiles(taken)


def idle(queue: MeasuredQueue, _name: str, scale: float) -> Measured:
    queue.start()
    time.sleep(scale)
    before = time.process_time()
    time.sleep(scale * IDLE_SECONDS)
    return {"percent": 100 * (time.process_time() - before) / (scale * IDLE_SECONDS)}


MEASUREMENTS: dict[str, Measurement] = {
    "throughput": throughput,
    "lateness": lateness,
    "wake_up": wake_up,
    "idle": idle,
}


def _percentiles(taken: list[float]) -> Measured:
    points = {f"p{percent}": 1000 * percentile(taken, percent) for percent in (50, 99)}
    return points | {"min": 1000 * min(taken), "max": 1000 * max(taken)}


def main(measurement: str, queue: str, scale: str) -> None:
    measured = MEASUREMENTS[measurement](QUEUES[queue](), queue, float(scale))
    print(json.dumps(measured), flush=True)
    os._exit(0)  # background workers of the others hold the interpreter open


if __name__ == "__main__":
    main(*sys.argv[1:])
