"""A master that waits for its replicas: commands wait with it, but only in its first moments."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from redistools.client import Client, connect, connect_async
from redistools.outages import fence
from redistools.outages.errors import is_outage
from redistools.outages.fence import Fence
from redistools.scripts import Script
from tests.redis_servers import client_of, running_cluster, running_server

count_and_tell = Script(__file__, "count_and_tell")


@pytest.fixture(params=["server", pytest.param("cluster", marks=pytest.mark.long)])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of servers that the test may fence; a command may take half a minute there."""
    if request.param == "cluster":
        with running_cluster([tmp_path_factory.mktemp("cluster") for _ in range(3)]) as url:
            yield f"{url}?socket_timeout=30"
    else:
        with running_server(tmp_path_factory.mktemp("server")) as port:
            yield f"redis://127.0.0.1:{port}/0?socket_timeout=30"


def ports_of(url: str) -> list[int]:
    hosts = url.partition("//")[2].partition("?")[0].partition("/")[0]
    return [int(host.rpartition(":")[2]) for host in hosts.split(",")]


def want_replicas(url: str, count: int) -> None:
    for port in ports_of(url):
        with closing(client_of(port)) as server:
            server.config_set("min-replicas-to-write", count)


class Pauses:
    """What a command does between two tries: it remembers how many there were."""

    def __init__(self, then: Callable[[int], object] = bool) -> None:
        self.made = list[int]()
        self._then = then

    def compute(self, tries: int) -> float:
        self.made.append(tries)
        self._then(tries)
        return 0.01


@pytest.fixture
def fenced(url: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The servers lack replicas until they have refused a command twice; gives its pauses."""
    pauses = Pauses(lambda tries: want_replicas(url, 0) if tries == 2 else None)
    monkeypatch.setattr(fence, "PAUSES", pauses)
    want_replicas(url, 1)
    return pauses.made


def set_name(client: Client) -> object:
    return client.set("name", "alice")


def run_script(client: Client) -> object:
    return count_and_tell(client, ["counted"], ["alice"]) == ["alice", 1]


@pytest.mark.parametrize("write", [set_name, run_script])
def test_a_write_waits_until_the_master_has_its_replicas(
    url: str, fenced: list[int], write: Callable[[Client], object]
) -> None:
    with closing(connect(url)) as client:
        assert write(client)
    assert fenced == [1, 2]


def test_so_does_one_of_an_asyncio_client(url: str, fenced: list[int]) -> None:
    async def write() -> None:
        client = connect_async(url)
        try:
            assert await client.set("name", "alice")
        finally:
            await client.aclose()

    asyncio.run(write())
    assert fenced == [1, 2]


def test_a_master_without_replicas_is_an_outage_and_nobody_waits_for_it_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = Pauses()
    monkeypatch.setattr(fence, "PAUSES", pauses)
    with (
        running_server(tmp_path, "--min-replicas-to-write", "1") as port,
        closing(connect(f"redis://127.0.0.1:{port}/0")) as client,
    ):
        for waits in (True, False, False):
            pauses.made.clear()
            with pytest.raises(redis.ResponseError) as refused:
                client.set("name", "alice")
            assert is_outage(refused.value)
            assert bool(pauses.made) == waits
            assert client.get("name") is None, "what is only read is answered"


def test_other_errors_are_handed_on_at_once() -> None:
    calls = []

    def mistake() -> None:
        calls.append(1)
        raise redis.ResponseError("WRONGTYPE Operation against a key")

    with pytest.raises(redis.ResponseError):
        Fence(patience=60).call(mistake)
    assert len(calls) == 1
