"""`python -m bench stream`: streams beside a server with a thread for each client.

Server and clients share the machine: one process each, the clients' one also publishes. Both
servers carry the same statuses; ours also keeps each in its log.
"""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import httpx
import psutil

from streaming import chores
from streaming.tokens import create_token
from tests.ports import free_ports
from tests.running_site import wait_for
from users.models import User

from .frame import Stage, percentile, running
from .report import Figure, Target
from .stream_load import Crowd, Publish, crowd, publish_events, publish_plainly, status
from .web import _wait_until_open

CLIENTS, SMALLER_CROWD = 1_000, 500
STATUSES, BASELINE_STATUSES = 5_000, 100
MESSAGES_PER_SECOND, LATENCY_MESSAGES = 10, 60
TRACKING, FEW_TRACKING, MATCHES = 5_000, 50, 3
# Every chore of the server comes round once in this time, so that idle and busy hold the same.
COST_SECONDS, COST_EVENTS = float(chores.CHECK_VISITORS_SECONDS), 6_000
UNLIMITED = {
    "STREAM_CONNECTIONS_PER_TOKEN": "1000000",
    "STREAM_CONNECTS_PER_MINUTE": "1000000",
    "STREAM_STATUSES_PER_SECOND": "0",
}


class Server(NamedTuple):
    port: int
    token: str
    process: psutil.Process
    publish: Publish


def measure(stage: Stage) -> dict[str, Figure]:
    token, messages = _token(), stage.size(LATENCY_MESSAGES, least=5)
    with _our_server(stage, token) as ours:
        statuses = stage.size(STATUSES, least=100)
        many = _carry(ours, stage.size(CLIENTS), statuses, messages)
        fewer = _carry(ours, stage.size(SMALLER_CROWD), statuses, messages)
    with _threaded_server(stage) as theirs:
        statuses = stage.size(BASELINE_STATUSES, least=50)
        baseline = _carry(theirs, stage.size(SMALLER_CROWD), statuses, messages)
        large_baseline = _carry(theirs, stage.size(CLIENTS), statuses, messages)
    with _our_server(stage, token) as ours:
        few_cost = _cost_of_an_event(ours, FEW_TRACKING, stage)
        many_cost = _cost_of_an_event(ours, stage.size(TRACKING, least=FEW_TRACKING), stage)
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
    memory: float


def _carry(server: Server, clients: int, statuses: int, messages: int) -> Carried:
    """Everything to everybody."""
    print(f"{clients} clients at port {server.port} …", flush=True)
    before = server.process.memory_info().rss
    with crowd(server.port, server.token, ["percent=100"] * clients) as readers:
        memory = (server.process.memory_info().rss - before) / clients
        _let_settle(readers, server)
        rate = MESSAGES_PER_SECOND
        latencies = readers.latencies(server.publish, messages, 1 / rate)
        deliveries = readers.deliveries_per_second(server.publish, statuses)
    return Carried(deliveries, latencies, memory)


def _let_settle(readers: Crowd, server: Server) -> None:
    """Threads of the baseline may not have subscribed yet, so the first statuses do not count."""
    for _ in range(20):
        server.publish([status()])
        time.sleep(0.2)
        if len(readers.read(timeout=0)) and min(readers.counts.values()):
            break
    while readers.read(timeout=0.5):
        pass


def _cost_of_an_event(server: Server, clients: int, stage: Stage) -> float:
    """The server's processor time for it, without what it costs to hold the clients."""
    print(f"{clients} filters at port {server.port} …", flush=True)
    events = stage.size(COST_EVENTS, least=50)
    queries = [f"track=word{n}" for n in range(clients)]
    text = " ".join(f"word{n}" for n in range(MATCHES)) + " and what else a status says"
    with crowd(server.port, server.token, queries) as readers:
        time.sleep(2)
        seconds = max(2.0, COST_SECONDS * stage.scale)
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


@contextlib.contextmanager
def _our_server(stage: Stage, token: str) -> Iterator[Server]:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "-k", "asgi"]
    command += ["--log-level", "warning", "--backlog", "8192", "--bind", f"127.0.0.1:{port}"]
    log = stage.folder / "stream.log"
    with running([*command, "socialsite.asgi"], log, UNLIMITED):
        # Gunicorn listens before its worker has subscribed, and until then sends clients away.
        wait_for(lambda: _is_healthy(port), seconds=60, what="the stream server")
        yield Server(port, token, _process_on(port, "gunicorn"), publish_events)


@contextlib.contextmanager
def _threaded_server(stage: Stage) -> Iterator[Server]:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "bench.stream_threads", str(port)]
    with running(command, stage.folder / "threads.log", {}):
        _wait_until_open(port)
        yield Server(port, "", _process_on(port, "stream_threads"), publish_plainly)


def _is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=10).status_code == 200
    except httpx.TransportError:
        return False


def _process_on(port: int, word: str) -> psutil.Process:
    """The process that holds the clients: of gunicorn the worker, not its master."""
    for child in psutil.Process().children():
        command = " ".join(child.cmdline())
        if word in command and str(port) in command:
            return next(iter(child.children()), child)
    raise RuntimeError(f"no {word} listens on {port}")


def _token() -> str:
    user = User.objects.create(username="bench", email="bench@example.com", password="!")
    return create_token(user=user, name="bench")[1]


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
        "memory for each of 1,000 clients": Figure(
            many.memory / 1024,
            large_baseline.memory / 1024,
            "kB of the server's memory",
            "a thread for each client, without Redis' share",
            smaller_is_better=True,
        ),
    }
