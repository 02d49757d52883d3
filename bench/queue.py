"""How does the delayed queue do beside rq and huey, on one Redis?

Every measurement runs in its own process. Throughput is that of one worker that runs one task at a
time; the tasks add one to a number, and all three store their results.
"""

import json
import subprocess
import sys
from operator import itemgetter

from bench.frame import Stage
from bench.report import Figure, Target

Measured = dict[str, float]

LATENESS_ROUNDS = 3


def measure(stage: Stage) -> dict[str, Figure]:
    return throughput(stage) | lateness(stage) | wake_up(stage) | idle(stage)


def throughput(stage: Stage) -> dict[str, Figure]:
    ours, huey, rq, simple = (
        ask(stage, "throughput", subject) for subject in ("ours", "huey", "rq", "rq without fork")
    )

    def rate(what: str, baseline: Measured, name: str, at_least: float | None = None) -> Figure:
        target = Target("at least", at_least) if at_least else None
        return Figure(ours[what], baseline[what], "tasks/s", name, target=target)

    return {
        "run, one worker (rq)": rate("run", rq, "rq, burst worker", 5.0),
        "run, one worker (rq without fork)": rate("run", simple, "rq, SimpleWorker"),
        "run, one worker (huey)": rate("run", huey, "huey, one worker thread", 1.0),
        "enqueue (rq)": rate("enqueue", rq, "rq"),
        "enqueue (huey)": rate("enqueue", huey, "huey"),
    }


def lateness(stage: Stage) -> dict[str, Figure]:
    """The least disturbed of three rounds: other work on the machine makes tasks late."""
    rounds = [
        [ask(stage, "lateness", subject) for subject in ("ours", "huey")]
        for _ in range(stage.size(LATENESS_ROUNDS))
    ]
    ours, huey = (min(each, key=itemgetter("p99")) for each in zip(*rounds, strict=True))
    earliest = min(mine["min"] for mine, _ in rounds)
    if earliest < 0:
        sys.exit(f"a delayed task ran {-earliest:.3f} ms early")
    in_time = Target("at most", 100, of="ours")
    return {
        "delayed task late, p50": Figure(ours["p50"], huey["p50"], "ms", "huey", True),
        "delayed task late, p99": Figure(ours["p99"], huey["p99"], "ms", "huey", True, in_time),
    }


def wake_up(stage: Stage) -> dict[str, Figure]:
    ours, huey = (ask(stage, "wake_up", subject) for subject in ("ours", "huey"))
    return {
        f"wake-up, {point}": Figure(ours[point], huey[point], "ms", "huey", True)
        for point in ("p50", "p99")
    }


def idle(stage: Stage) -> dict[str, Figure]:
    ours, huey = (ask(stage, "idle", subject)["percent"] for subject in ("ours", "huey"))
    return {"idle worker": Figure(ours, huey, "% of a core", "huey", True)}


def ask(stage: Stage, measurement: str, subject: str) -> Measured:
    print(f"{measurement} of {subject} …", flush=True)
    # Below a fiftieth there would be nothing to measure.
    scale = str(max(0.02, stage.scale))
    command = [sys.executable, "-m", "bench.queue_child", measurement, subject, scale]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    measured: Measured = json.loads(output.splitlines()[-1])
    return measured
