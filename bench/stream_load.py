"""Many stream clients in one process, and the publisher whose statuses they wait for."""

import json
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from bench.stream_threads import CHANNEL
from redistools.client import get_client
from redistools.scripts import Batch
from statuses.stored import StoredStatus
from streaming import formats, publishing
from users.audience import Reach

Publish = Callable[[list[StoredStatus]], None]

MESSAGE = b'"text":'
PATIENCE_SECONDS = 30.0
# How many statuses may be on their way: enough to keep the server busy, too few for it to cut
# anybody off.
WINDOW, AT_ONCE = 400, 50

_next_id = iter(range(1, 10**9))


def status(
    text: str = "a status of a usual length, with a #tag and some more words to it",
) -> StoredStatus:
    return StoredStatus(
        id=next(_next_id),
        author_id=7,
        username="alice",
        name="Alice Liddell",
        avatar="",
        text="",
        language="en",
    ).saying(text)


def publish_events(statuses: list[StoredStatus]) -> None:
    """Like the site, but in batches, so that publishing is not what we measure."""
    batch = Batch(get_client())
    for each in statuses:
        publishing.add_post(batch, each, reach=Reach.EVERYBODY)
    batch.run()


def publish_plainly(statuses: list[StoredStatus]) -> None:
    batch = Batch(get_client())
    for each in statuses:
        batch.add("PUBLISH", CHANNEL, json.dumps(formats.twitter_status(each)))
    batch.run()


class Crowd:
    """Open streams: raw sockets, read whenever something arrives."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        self.counts = dict.fromkeys(sockets, 0)
        self._tails = dict.fromkeys(sockets, b"")
        self._selector = selectors.DefaultSelector()
        for it in sockets:
            it.setblocking(False)
            self._selector.register(it, selectors.EVENT_READ, data=it)

    def read(self, timeout: float) -> list[float]:
        """When each message came that could be read now."""
        arrivals = []
        for key, _ in self._selector.select(timeout):
            it: socket.socket = key.data
            data = it.recv(262_144)
            if not data or b'"disconnect"' in data:
                raise RuntimeError(f"a client was cut off: {data[-200:]!r}")
            new = (self._tails[it] + data).count(MESSAGE)
            # A message may be torn in two: the tail is too short to hold a whole mark.
            self._tails[it] = data[-(len(MESSAGE) - 1) :]
            self.counts[it] += new
            arrivals += [time.perf_counter()] * new
        return arrivals

    def read_until(self, total: int) -> list[float]:
        """Wait until this many messages came since the last call, over all clients."""
        arrivals: list[float] = []
        deadline = time.perf_counter() + PATIENCE_SECONDS
        while len(arrivals) < total:
            arrivals += self.read(timeout=1)
            if time.perf_counter() > deadline:
                raise RuntimeError(f"only {len(arrivals)} of {total} messages came")
        return arrivals

    def deliveries_per_second(self, publish: Publish, statuses: int) -> float:
        """As many as the server can carry: more follow when the slowest client has caught up."""
        began, published = time.perf_counter(), 0
        start = min(self.counts.values())
        while (slowest := min(self.counts.values()) - start) < statuses:
            if published < statuses and published - slowest < WINDOW:
                publish([status() for _ in range(AT_ONCE)])
                published += AT_ONCE
            self.read(timeout=1)
        return statuses * len(self.counts) / (time.perf_counter() - began)

    def latencies(self, publish: Publish, statuses: int, pause: float) -> list[float]:
        """From just before a status is published to its arrival, for each client."""
        taken: list[float] = []
        for _ in range(statuses):
            began = time.perf_counter()
            publish([status()])
            taken += [arrival - began for arrival in self.read_until(len(self.counts))]
            time.sleep(max(0.0, pause - (time.perf_counter() - began)))
        return taken


@contextmanager
def crowd(port: int, token: str, queries: list[str]) -> Iterator[Crowd]:
    """One client for each query, all of them connected."""
    with ExitStack() as stack:
        sockets = []
        for query in queries:
            it = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
            name = "filter" if "track" in query else "sample"
            request = (
                f"GET /1.1/statuses/{name}.json?{query} HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Bearer {token}\r\n\r\n"
            )
            it.sendall(request.encode())
            sockets.append(it)
        for it in sockets:
            answer = it.recv(4_096)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"a stream was refused: {answer!r}")
        yield Crowd(sockets)
