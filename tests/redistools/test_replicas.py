"""Reads that may be stale are answered by replicas, as long as these keep up."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import pytest
from pytest_django import Settings

from redistools import staleness
from redistools.client import get_client, get_replicas, is_away
from redistools.scripts import Batch, Script
from redistools.servers import replicas
from redistools.servers.replicas import Lag
from tests.redis_servers import PASSWORD, client_of, frozen
from tests.replicas import WITH_REPLICAS, masters, ports_asked, ports_of_replicas, wait_until_known
from tests.round_trips import counting_round_trips
from tests.running_site import wait_for

MANY = 40

tell = Script(__file__, "tell", stale_ok=True)


@pytest.fixture(params=WITH_REPLICAS)
def site_with_replicas(request: pytest.FixtureRequest, settings: Settings) -> None:
    settings.REDIS_URL = request.getfixturevalue(request.param)
    wait_until_known()


def write(prefix: str) -> list[str]:
    """Keys on all nodes; all replicas have them."""
    names = [f"{prefix}{number}" for number in range(MANY)]
    batch = Batch(get_client())
    for name in names:
        batch.add("SET", name, "written")
    batch.run()
    wait_until_known()
    wait_for(lambda: stale_answers(names) == ["written"] * MANY, what="replicas to have the keys")
    return names


def stale_answers(names: list[str]) -> list[Any]:
    batch = Batch(get_client())
    for name in names:
        batch.add("GET", name, stale_ok=True)
    with staleness.stale_ok():
        return batch.run()


@pytest.mark.usefixtures("site_with_replicas")
def test_replicas_answer_what_may_be_stale_in_the_same_round_trip(key_prefix: str) -> None:
    names = write(key_prefix)
    batch = Batch(get_client())
    for name in names:
        batch.add("GET", name, stale_ok=True)
        batch.add("APPEND", name, "!")
    with staleness.stale_ok(), counting_round_trips() as trips:
        answers = batch.run()
    assert set(answers[0::2]) <= {"written", "written!"}
    assert answers[1::2] == [len("written!")] * MANY
    assert len(trips) == 1, str(trips)
    asked = ports_asked(trips)
    assert asked >= ports_of_replicas()
    assert len(asked) == 2 * len(masters())


@pytest.mark.usefixtures("site_with_replicas")
def test_masters_answer_unless_the_caller_lets_replicas(key_prefix: str) -> None:
    names = write(key_prefix)
    with counting_round_trips() as trips:
        for around in (staleness.fresh(), ExitStack()):
            batch = Batch(get_client())
            for name in names:
                batch.add("GET", name, stale_ok=True)
            with around:
                batch.run()
        with staleness.stale_ok():
            get_client().get(names[0])
    assert not ports_of_replicas() & ports_asked(trips)


@pytest.mark.usefixtures("site_with_replicas")
def test_a_replica_runs_scripts_that_only_read(key_prefix: str) -> None:
    names = write(key_prefix)
    for _ in range(2):
        batch = Batch(get_client())
        for name in names:
            batch.call(tell, [name], ["alice"])
        with staleness.stale_ok(), counting_round_trips() as trips:
            assert batch.run() == [["alice", "written"]] * MANY
    assert len(trips) == 1, str(trips)
    assert ports_asked(trips) == ports_of_replicas()


@pytest.fixture
def replica_process(steady_sentinel_url: str, settings: Settings) -> Iterator[int]:
    settings.REDIS_URL = steady_sentinel_url
    wait_until_known()
    (port,) = ports_of_replicas()
    with closing(client_of(int(port), PASSWORD)) as replica:
        info: Any = replica.info("server")
    yield int(info["process_id"])
    wait_for(lambda: not is_away())


def test_a_replica_that_hangs_costs_one_short_wait(
    replica_process: int, key_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "LEFT_ALONE_SECONDS", 1.0)
    names = write(key_prefix)
    with frozen(replica_process):
        assert stale_answers(names) == ["written"] * MANY
        with counting_round_trips() as trips:
            assert stale_answers(names) == ["written"] * MANY
        assert not is_away()
        assert not ports_of_replicas() & ports_asked(trips)


@pytest.mark.long
def test_a_replica_that_falls_behind_is_no_longer_asked(
    replica_process: int, key_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "STALE_SECONDS", 2.0)
    known = get_replicas()
    assert known is not None
    with frozen(replica_process):
        get_client().set(f"{key_prefix}new", "1")
        wait_for(lambda: known.of(replicas.ONLY) is None, what="the replica to be left out")
    wait_until_known()


REPLICA = ("127.0.0.1", 7001)


def says(offset: int, confirmed: int, state: str = "online") -> dict[str, Any]:
    replica = {"ip": "127.0.0.1", "port": 7001, "state": state, "offset": confirmed, "lag": 0}
    return {"role": "master", "master_repl_offset": offset, "slave0": replica}


def test_a_replica_knows_what_was_written_before_what_it_confirmed() -> None:
    lag, now = Lag(), time.monotonic()
    lag.note(now, says(100, 100))
    assert lag.known_until == {REPLICA: now}
    lag.note(now + 1, says(200, 150))
    assert lag.known_until == {REPLICA: now}
    lag.note(now + 2, says(300, 200))
    assert lag.known_until == {REPLICA: now + 1}


def test_a_replica_that_never_caught_up_is_not_known() -> None:
    lag, now = Lag(), time.monotonic()
    lag.note(now, says(100, 50))
    assert lag.known_until == {}
    lag.note(now, says(100, 100, state="wait_bgsave"))
    assert lag.known_until == {}


def test_another_history_of_a_master_begins_again() -> None:
    lag, now = Lag(), time.monotonic()
    lag.note(now, says(1_000, 1_000))
    lag.note(now + 1, says(10, 5))
    assert lag.known_until == {}
    lag.note(now + 2, says(20, 20))
    assert lag.known_until == {REPLICA: now + 2}
