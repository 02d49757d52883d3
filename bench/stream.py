"""`python -m bench stream`: streams beside a server with a thread for each client.

Server and clients share the machine: one process each; the clients' process also publishes. Both
servers carry the same statuses; ours also keeps each in its log.
"""

import sys
import time
from typing import NamedTuple

from bench.frame import Stage, percentile
from bench.report import Figure, Target
from bench.stream_load import Crowd, crowd, status
from bench.stream_servers import Server, make_token, our_server, threaded_server
from streaming.server import chores

CLIENTS, SMALLER_CROWD = 1_000, 500
STATUSES, BASELINE_STATUSES = 3_000, 60
MESSAGES_PER_SECOND, LATENCY_MESSAGES = 10, 40
TRACKING, FEW_TRACKING, MATCHES = 5_000, 50, 3
COST_EVENTS_PER_SECOND = 200
# Every chore of the server runs once in this time, so that idle and busy include the same chores.
# For a few clients, chores cost next to nothing and need no such care.
COST_SECONDS, SHORT_COST_SECONDS = float(chores.CHECK_LISTENERS_SECONDS), 10.0


def measure(stage: Stage) -> dict[str, Figure]:
    token, messages = make_token(), stage.size(LATENCY_MESSAGES, least=5)
    with our_server(stage, token) as ours:
        statuses = stage.size(STATUSES, least=100)
        many = _carry(ours, stage.size(CLIENTS), statuses, messages)
        fewer = _carry(ours, stage.size(SMALLER_CROWD), statuses)
    with threaded_server(stage) as theirs:
        statuses = stage.size(BASELINE_STATUSES, least=50)
        baseline = _carry(theirs, stage.size(SMALLER_CROWD), statuses)
        large_baseline = _carry(theirs, stage.size(CLIENTS), statuses, messages)
    with our_server(stage, token) as ours:
        few_cost = _cost_of_an_event(ours, FEW_TRACKING, SHORT_COST_SECONDS, stage)
        tracking = stage.size(TRACKING, least=FEW_TRACKING)
        many_cost = _cost_of_an_event(ours, tracking, COST_SECONDS, stage)
    return _figures(many, fewer, large_baseline, baseline) | {
        "cost of an event that matches 3 of 5,000 filters": Figure(
            1e6 * many_cost,
            1e6 * few_cost,
            "µs of the server's time",
            "ours with 50 filters",
            smaller_is_better=True,
            target=Target("at most", 2),
        )
    }


class Carried(NamedTuple):
    deliveries: float
    latencies: list[float]


def _carry(server: Server, clients: int, statuses: int, messages: int = 0) -> Carried:
    """Everything to everybody: `messages` one by one, to see how late they are, then a flood."""
    print(f"{clients} clients at port {server.port} …", flush=True)
    with crowd(server.port, server.token, ["percent=100"] * clients) as readers:
        _calm_down(readers, server)
        rate = MESSAGES_PER_SECOND
        latencies = readers.latencies(server.publish, messages, 1 / rate)
        deliveries = readers.deliveries_per_second(server.publish, statuses)
    return Carried(deliveries, latencies)


def _calm_down(readers: Crowd, server: Server) -> None:
    """The baseline's threads may not have subscribed yet, so the first statuses do not count."""
    for _ in range(20):
        server.publish([status()])
        time.sleep(0.2)
        if len(readers.read(timeout=0)) and min(readers.counts.values()):
            break
    while readers.read(timeout=0.5):
        pass


def _cost_of_an_event(server: Server, clients: int, seconds: float, stage: Stage) -> float:
    """The server's CPU time for it, without the cost of holding the clients."""
    print(f"{clients} filters at port {server.port} …", flush=True)
    events = stage.size(round(COST_EVENTS_PER_SECOND * seconds), least=50)
    queries = [f"track=word{n}" for n in range(clients)]
    text = " ".join(f"word{n}" for n in range(MATCHES)) + " and what else a status says"
    with crowd(server.port, server.token, queries) as readers:
        time.sleep(max(0.2, 2 * stage.scale))
        seconds = max(2.0, seconds * stage.scale)
        idle = _processor_seconds(server, seconds, readers, events=0, text=text)
        busy = _processor_seconds(server, seconds, readers, events=events, text=text)
    return (busy - idle) / events


def _processor_seconds(
    server: Server, seconds: float, readers: Crowd, *, events: int, text: str
) -> float:
    before, began = sum(server.process.cpu_times()[:2]), time.perf_counter()
    for number in range(events // 10):
        server.publish([status(text) for _ in range(10)])
        readers.read_until(10 * MATCHES)
        time.sleep(max(0.0, began + seconds * number * 10 / events - time.perf_counter()))
    time.sleep(max(0.0, began + seconds - time.perf_counter()))
    if time.perf_counter() - began > 1.1 * seconds:
        sys.exit("the machine is too slow or too busy: idle and busy time can't be compared")
    return sum(server.process.cpu_times()[:2]) - before


def _figures(
    many: Carried, fewer: Carried, large_baseline: Carried, baseline: Carried
) -> dict[str, Figure]:
    def latency(percent: int, target: Target | None = None) -> Figure:
        return Figure(
            1000 * percentile(many.latencies, percent),
            1000 * percentile(large_baseline.latencies, percent),
            "ms",
            "a thread for each of 1,000 clients",
            smaller_is_better=True,
            target=target,
        )

    at_least_ten = Target("at least", 10)
    return {
        "deliveries at saturation, 1,000 clients": Figure(
            many.deliveries,
            large_baseline.deliveries,
            "deliveries/s",
            "a thread for each of 1,000 clients",
        ),
        "deliveries at saturation, 500 clients": Figure(
            fewer.deliveries,
            baseline.deliveries,
            "deliveries/s",
            "a thread for each of 500 clients",
            target=at_least_ten,
        ),
        "latency at 10 statuses/s, median": latency(50),
        "latency at 10 statuses/s, 99th percentile": latency(99),
    }
