"""A timeline is in order and without repeats, in whatever order deliveries arrive."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from timelines import fan_out, store

READER = 7
CAP, SLACK = 40, 8

# As far apart as real ones; few enough that a build is not given up.
IDS = [number * 4096 for number in range(1, 2 * CAP)]
# Often enough for a trim, and some of them twice: a plain list would be too short.
deliveries = st.builds(
    lambda shuffled, count, repeated: [*shuffled[:count], *repeated],
    st.permutations(IDS),
    st.integers(0, len(IDS)),
    st.lists(st.sampled_from(IDS), max_size=20),
)


@pytest.fixture
def small_timelines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TIMELINE_SIZE", CAP)
    monkeypatch.setattr(fan_out, "SLACK", SLACK)


def deliver(status_ids: Iterable[int]) -> list[int]:
    """How long the timeline is after each of them."""
    batch = Batch(get_client())
    for status_id in status_ids:
        fan_out.add_to_author(batch, READER, status_id)
        batch.add("LLEN", keys.home(READER))
    return [int(length) for length in batch.run()[1::2]]


@pytest.mark.usefixtures("small_timelines")
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ids=deliveries, mark=st.sampled_from(["0", "-4503599627370496"]))
def test_late_and_repeated_deliveries_end_in_their_place(ids: list[int], mark: str) -> None:
    client, key = get_client(), keys.home(READER)
    client.delete(key)
    client.rpush(key, mark)
    lengths = deliver(ids)
    assert {after for before, after in pairwise(lengths) if after < before} <= {CAP}
    held = [int(element) for element in client.lrange(key, 0, -1)]
    in_order = sorted(set(ids), reverse=True)
    if held and held[-1] <= 0:
        assert held[-1] == int(mark)
        assert held[:-1] == in_order, "with its mark it holds everything"
    else:
        assert len(held) >= CAP
        assert held == in_order[: len(held)], "without it the newest, and no hole"
        assert mark == "0", "a build keeps its mark"


@pytest.mark.usefixtures("small_timelines")
def test_a_build_that_was_given_up_does_not_grow_for_ever() -> None:
    client, key = get_client(), keys.home(READER)
    client.rpush(key, "-4503599627370496")
    deliver(number * 4096 for number in range(1, 2 * CAP + 2))
    assert client.exists(key) == 0, "unknown, so the next reader builds it"
