"""Two processes behind one port: nobody can tell which of them they met."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import psutil
import pytest

from access.tokens import create_token, revoke_token
from statuses.services import post_status
from tests.running_site import wait_for
from tests.streaming.server import StreamReader, StreamServer, stream_server
from users.models import User

EVERYTHING = "/1.1/statuses/sample.json?percent=100"


@pytest.fixture
def server(db: None, key_prefix: str) -> Iterator[StreamServer]:
    limit = {"STREAM_CONNECTIONS_PER_TOKEN": "4"}
    with stream_server(key_prefix, workers="2", **limit) as server:
        workers = psutil.Process(server.process.pid).children
        wait_for(lambda: len(workers()) == 2)
        yield server


def streams_of_each_worker(server: StreamServer) -> list[int]:
    workers = psutil.Process(server.process.pid).children()
    connections = [worker.net_connections(kind="tcp") for worker in workers]
    return [sum(it.status == psutil.CONN_ESTABLISHED for it in some) for some in connections]


def test_events_seats_and_orders_reach_both(server: StreamServer, carol: User, alice: User) -> None:
    row, token = create_token(user=carol, name="bot")
    with ExitStack() as stack:
        listeners: list[StreamReader] = []

        def open_until_both_have_some() -> bool:
            listeners.append(stack.enter_context(closing(StreamReader(server, EVERYTHING, token))))
            return min(streams_of_each_worker(server)) > 0 and len(listeners) > 4

        wait_for(open_until_both_have_some)
        *oldest, third, second, first, newest = listeners
        for it in oldest:
            assert it.ended.wait(10)
            assert it.goodbye == 7
        status = post_status(author=alice, text="to all")
        for it in (third, second, first, newest):
            it.wait(lambda it: it.ids == [status.pk])
        revoke_token(token=row)
        for it in (third, second, first, newest):
            assert it.ended.wait(10)
            assert it.goodbye == 6
