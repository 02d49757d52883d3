"""`python -m bench.queue`: the delayed queue beside rq and huey, on one private Redis.

Every measurement runs in a process of its own. Throughput is that of one worker that runs one
task at a time; the tasks add one to a number, and their results are stored by all three.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .report import Figure, show, write

TASKS, RQ_TASKS = 20_000, 400
DELAYED, HUEY_DELAYED, SPREAD_SECONDS = 10_000, 2_000, 2.0
PINGS, IDLE_SECONDS = 200, 5.0

Measured = dict[str, float]


def throughput(subject: str) -> Measured:
    from .queue_subjects import SUBJECTS

    count = RQ_TASKS if subject.startswith("rq") else TASKS
    queue = SUBJECTS[subject]()
    enqueueing = _seconds(lambda: queue.enqueue(count))
    running = _seconds(lambda: queue.run_ready(count))
    return {"enqueue": count / enqueueing, "run": count / running}


def lateness(subject: str) -> Measured:
    """Tasks whose due times are spread over two seconds, queued well before the first is due."""
    from . import queue_tasks
    from .queue_subjects import SUBJECTS

    count = HUEY_DELAYED if subject == "huey" else DELAYED
    queue = SUBJECTS[subject]()
    first_due = time.time() + count / 2_000 + 2.0
    queue.enqueue_delayed([first_due + SPREAD_SECONDS * n / count for n in range(count)])
    if time.time() > first_due:
        sys.exit("the machine is too slow or too busy: tasks were due before all were queued")
    queue.start()
    for _ in range(count):
        queue_tasks.ran.acquire()
    return _percentiles(queue_tasks.lateness)


def wake_up(subject: str) -> Measured:
    """From `enqueue` to the first line of the task, on an idle worker."""
    from . import queue_tasks
    from .queue_subjects import SUBJECTS

    queue = SUBJECTS[subject]()
    queue.start()
    taken = []
    for _ in range(PINGS):
        time.sleep(0.01)
        began = time.perf_counter()
        queue.enqueue(1)
        queue_tasks.ran.acquire()
        taken.append(time.perf_counter() - began)
    return _percentiles(taken)


def idle(subject: str) -> Measured:
    from .queue_subjects import SUBJECTS

    SUBJECTS[subject]().start()
    time.sleep(1.0)
    before = time.process_time()
    time.sleep(IDLE_SECONDS)
    return {"percent": 100 * (time.process_time() - before) / IDLE_SECONDS}


MEASUREMENTS: dict[str, Callable[[str], Measured]] = {
    "throughput": throughput,
    "lateness": lateness,
    "wake_up": wake_up,
    "idle": idle,
}


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _percentiles(seconds: list[float]) -> Measured:
    ordered = sorted(seconds)
    pick = {f"p{p}": ordered[min(len(ordered) - 1, len(ordered) * p // 100)] for p in (50, 99)}
    milliseconds = {name: 1000 * value for name, value in pick.items()}
    return milliseconds | {"min": 1000 * ordered[0], "max": 1000 * ordered[-1]}


def measure(measurement: str, subject: str) -> Measured:
    """In a process of its own; its last line is the answer."""
    print(f"{measurement} of {subject} …", flush=True)
    command = [sys.executable, "-m", "bench.queue", measurement, subject]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    measured: Measured = json.loads(output.splitlines()[-1])
    return measured


def child(measurement: str, subject: str) -> None:
    import django

    django.setup()
    print(json.dumps(MEASUREMENTS[measurement](subject)), flush=True)
    os._exit(0)  # background workers of the others hold the interpreter open


def figures() -> dict[str, Figure]:
    ours, huey = measure("throughput", "ours"), measure("throughput", "huey")
    rq, simple = measure("throughput", "rq"), measure("throughput", "rq without fork")
    late, huey_late = measure("lateness", "ours"), measure("lateness", "huey")
    woken, huey_woken = measure("wake_up", "ours"), measure("wake_up", "huey")
    resting, huey_resting = measure("idle", "ours"), measure("idle", "huey")
    if late["min"] < 0:
        sys.exit(f"a delayed task ran {-late['min']:.3f} ms early")

    def rate(what: str, baseline: Measured, name: str) -> Figure:
        return Figure(ours[what], baseline[what], "tasks/s", name)

    def delay(mine: float, theirs: float, name: str = "huey") -> Figure:
        return Figure(mine, theirs, "ms", name, smaller_is_better=True)

    return {
        "run, one worker (rq)": rate("run", rq, "rq, burst worker"),
        "run, one worker (rq without fork)": rate("run", simple, "rq, SimpleWorker"),
        "run, one worker (huey)": rate("run", huey, "huey, one worker thread"),
        "enqueue (rq)": rate("enqueue", rq, "rq"),
        "enqueue (huey)": rate("enqueue", huey, "huey"),
        "delayed task late, median": delay(late["p50"], huey_late["p50"]),
        "delayed task late, 99th percentile": delay(late["p99"], huey_late["p99"]),
        "wake-up, median": delay(woken["p50"], huey_woken["p50"]),
        "wake-up, 99th percentile": delay(woken["p99"], huey_woken["p99"]),
        "idle worker": Figure(
            resting["percent"], huey_resting["percent"], "% of a core", "huey", True
        ),
    }


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="bench-queue-") as folder:
        socket = Path(folder) / "redis.sock"
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "socialsite.settings",
            "SOCIALSITE_DATA_DIR": folder,
            "REDIS_URL": f"unix://{socket}",
        }
        import django
        from django.core.management import call_command

        from socialsite import embedded_redis

        django.setup()
        call_command("migrate", verbosity=0)
        with embedded_redis.running(socket):
            measured = figures()
    show(measured)
    print(f"\nwritten to {write('queue', measured)}")


if __name__ == "__main__":
    child(*sys.argv[1:]) if sys.argv[1:] else main()
