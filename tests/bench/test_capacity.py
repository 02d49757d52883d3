"""The arithmetic of the capacity model; what it multiplies is measured when it runs."""

import pytest

from bench.capacity import needs, page

BYTES = {
    "somebody who comes, in Redis": 30_000.0,
    "somebody away, in Redis": 100.0,
    "an account in SQL": 300.0,
    "a follow in SQL": 100.0,
    "a post in SQL": 350.0,
}
MILLISECOND = (1e-3, 1e-4)
WORK = ("a page", "a post", "its tasks", "a like", "tasks of a like", "a fan-out to 16")
SPENT = dict.fromkeys(WORK, MILLISECOND) | {"each delivery beyond": (1e-6, 5e-6)}


def number(text: str) -> float:
    return float(text.split()[0].replace(",", ""))


def test_a_small_site_needs_one_of_each() -> None:
    site = needs(10_000, BYTES, SPENT)
    for what in ("nodes of Redis", "web processes", "worker processes", "stream processes"):
        assert site[what] == "1"
    assert site["memory of Redis"] == "121 MB"


def test_processes_and_nodes_grow_with_the_accounts() -> None:
    small, large = (needs(users, BYTES, SPENT) for users in (1_000_000, 100_000_000))
    for what in ("nodes of Redis", "web processes", "worker processes", "stream processes"):
        assert number(large[what]) > 5 * number(small[what])
    assert number(large["`PARTITIONS`, at least"]) >= number(large["nodes of Redis"])
    assert small["SQL after a year"].endswith("GB")
    assert large["SQL after a year"].endswith("TB")


@pytest.mark.parametrize(
    ("work", "grows"), [("a page", "web processes"), ("its tasks", "worker processes")]
)
def test_what_takes_longer_needs_more_processes(work: str, grows: str) -> None:
    slow = SPENT | {work: (1e-1, 1e-4)}
    users = 100_000_000
    assert number(needs(users, BYTES, slow)[grows]) > 5 * number(needs(users, BYTES, SPENT)[grows])


def test_every_table_has_as_many_cells_in_each_row() -> None:
    tables = page([10, 1_000], BYTES, SPENT).split("\n\n")[1:]
    assert len(tables) == 4
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1
