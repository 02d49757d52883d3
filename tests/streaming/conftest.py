from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker, Settings

from access.tokens import FIREHOSE, READ, create_token
from tests.streaming.server import StreamReader, StreamServer, stream_server
from users.models import User

Listen = Callable[..., StreamReader]


@pytest.fixture(scope="session")
def shared_server(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[StreamServer]:
    """For the tests that leave it as they found it."""
    with django_db_blocker.unblock(), stream_server("streams:") as server:
        yield server


@pytest.fixture
def server(shared_server: StreamServer, settings: Settings) -> StreamServer:
    settings.REDIS_KEY_PREFIX = shared_server.prefix
    return shared_server


@pytest.fixture
def token(carol: User) -> str:
    """For every stream, so of somebody who may have them all."""
    User.objects.filter(pk=carol.pk).update(is_staff=True)
    return create_token(user=carol, name="tests", scopes=[READ, FIREHOSE])[1]


@pytest.fixture
def listen(server: StreamServer, token: str) -> Iterator[Listen]:
    """`listen("/1.1/statuses/filter.json", params={…})`."""
    with ExitStack() as stack:

        def open_stream(path: str, **request: Any) -> StreamReader:
            options: dict[str, Any] = {"server": server, "token": token} | request
            return stack.enter_context(closing(StreamReader(path=path, **options)))

        yield open_stream
