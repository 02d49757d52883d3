"""What Redis finds is what a search through all ranges of the file finds."""

import ipaddress
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from insight.places import ranges as ranges_module
from insight.places import store
from insight.places.files import Name, Range, contents
from insight.places.models import PlacesFile
from insight.places.ranges import (
    BELOW_SCORE,
    FAMILIES,
    Address,
    Run,
    blocks,
    packed,
    parsed,
    unpacked,
)
from redistools import keys
from redistools.client import get_client
from tests.insight.places.looking import numbers_of
from web.client_address import address_from

NETWORK = 1 << 64


def address(version: int, number: int) -> Address:
    return ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)


@st.composite
def bounds(draw: st.DrawFn, version: int) -> list[int]:
    """Where ranges begin and end: anywhere, in a row, beside each other, at both ends of all
    addresses; those of IPv6 also closer than a score can tell apart, and within a network.
    """
    last = (1 << (32 if version == 4 else 128)) - 1
    anywhere = st.integers(0, last)
    start = draw(anywhere)
    near = st.integers(0, 3_000 if version == 4 else 6_000 * NETWORK)
    in_networks = st.integers(0, 6_000).map(lambda it: it * NETWORK)
    close = st.one_of(near, in_networks).map(lambda it: min(last, start + it))
    edges = st.sampled_from([0, 1, last - 1, last])
    found = draw(st.sets(st.one_of(anywhere, close, close, edges), min_size=2, max_size=25))
    return sorted(found)


@st.composite
def files(draw: st.DrawFn) -> list[Range]:
    ranges = []
    for version in FAMILIES:
        found = draw(bounds(version))
        for first, after in pairwise(found):
            country = draw(st.sampled_from(["DE", "FR", "NZ", None]))
            end = draw(st.sampled_from([after - 1, first, (first + after) // 2]))
            name = Name(country) if country else None
            ranges.append(Range(address(version, first), address(version, end), name))
        ranges.append(Range(address(version, found[-1]), address(version, found[-1]), Name("IT")))
    return ranges


def counted(it: Address) -> Address:
    """As a client with this address is counted."""
    found = parsed(address_from(str(it), ""))
    assert found is not None
    return found


def naive(ranges: list[Range], it: Address) -> str:
    """The country, as the file has it: of the address that its network begins with."""
    shown = int(counted(it))
    for first, last, name, _ in ranges:
        if first.version == it.version and int(first) <= shown <= int(last):
            return name.country if name else ""
    return ""


def around(ranges: list[Range]) -> list[Address]:
    found = set[Address]()
    for each in ranges:
        last = (1 << (32 if each.first.version == 4 else 128)) - 1
        for number in (int(each.first), int(each.last)):
            for beside in (-NETWORK, -1, 0, 1):
                found.add(address(each.first.version, min(last, max(0, number + beside))))
    return sorted(found, key=lambda it: (it.version, int(it)))


@pytest.fixture(scope="module", autouse=True)
def small_blocks() -> Iterator[None]:
    """So that a short file has many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges_module, "RUNS_OF_A_BLOCK", 5)
        yield


@given(ranges=files(), data=st.data())
@settings(max_examples=40, deadline=None)
def test_redis_finds_what_a_search_through_the_file_finds(
    ranges: list[Range], data: st.DataObject
) -> None:
    found = contents(ranges)
    for family, runs in found.runs.items():
        name = keys.place_ranges(str(family))
        get_client().delete(name)
        store.send(name, blocks(runs))
    asked = around(ranges)
    asked += [address(4, data.draw(st.integers(0, (1 << 32) - 1)))]
    asked += [address(6, data.draw(st.integers(0, (1 << 128) - 1)))]
    numbers = numbers_of([counted(it) for it in asked])
    names = [(found.name_of(it) or Name("")).country for it in numbers]
    assert names == [naive(ranges, it) for it in asked]


def test_a_block_never_begins_between_positions_of_the_same_score() -> None:
    runs = [Run(0, 0), *(Run((7 << BELOW_SCORE) + it, 1 + it % 2) for it in range(1, 2_000))]
    runs += [Run((8 << BELOW_SCORE) + it, 3 + it % 2) for it in range(5, 2_000)]
    made = list(blocks(runs))
    scores = [it.score for it in made]
    assert len(set(scores)) == len(scores) == 3
    for it in made:
        first = next(unpacked(it.content)).first
        assert first == it.score << BELOW_SCORE


def test_blocks_are_small_and_lose_nothing() -> None:
    runs = [Run(it << 40, 1 + it % 7) for it in range(500)]
    made = list(blocks(runs))
    assert max(len(list(unpacked(it.content))) for it in made) <= ranges_module.RUNS_OF_A_BLOCK
    assert b"".join(it.content for it in made) == packed(runs)
    scores = [it.score for it in made]
    assert scores == sorted(scores)
    assert bisect_right(scores, 499 << 40 >> BELOW_SCORE) == len(made)


def test_what_has_one_place_is_one_run() -> None:
    halves = [address(4, 1_000), address(4, 1_999)], [address(4, 2_000), address(4, 2_999)]
    ranges = [Range(first, last, Name("DE")) for first, last in halves]
    assert len(contents(ranges).runs[4]) == 3  # before, within, behind


def test_the_parts_in_sql_hold_the_same_runs(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RUNS_OF_A_PART", 10)
    runs = [Run(it << 40, it % 65_536) for it in range(95)]
    file = PlacesFile.objects.create(name="it", ranges=95)
    for part in store.parts(4, runs):
        part.file = file
        part.save()
    assert list(store.runs_of(file, 4)) == runs
