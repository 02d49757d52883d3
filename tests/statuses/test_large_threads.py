"""Threads of thousands of replies open like small ones, and nothing in them is out of reach."""

import random
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from statuses.models import Status
from statuses.services import post_status
from statuses.threads import page, reply_tree
from tests.cast import browser_of
from tests.plans import on_sqlite
from tests.round_trips import counting_round_trips
from tests.statuses.trees import chain, drawn, grow, kind_of, thread
from users.models import User


@pytest.fixture
def root(alice: User) -> Status:
    return post_status(author=alice, text="the beginning")


def bush(size: int) -> list[int | None]:
    chance = random.Random(size)
    return [
        None,
        *(chance.choice((None, it // 3, it // 100, it - 1)) for it in range(1, size)),
    ]


# For each reply, the place of the one that it answers.
SHAPES: dict[str, Callable[[], list[int | None]]] = {
    "ten thousand direct replies": lambda: [None] * 10_000,
    "a chain of a thousand": lambda: [None, *range(999)],
    "ten thousand in a bush": lambda: bush(10_000),
    "twelve replies to each": lambda: [None, *(it // 12 for it in range(9_999))],
}
shapes = pytest.mark.parametrize("shape", SHAPES)


@shapes
def test_a_large_thread_opens_in_a_few_queries_and_round_trips(
    bob: User, carol: User, root: Status, shape: str
) -> None:
    replies = grow(bob, root, SHAPES[shape]())
    browser = browser_of(carol)
    for status, name in ((root, "alice"), *((replies[it], "bob") for it in (0, 500, -1))):
        address = f"/@{name}/{status.pk}/"
        browser.get(address)  # reads what Redis does not have from SQL
        with counting_round_trips() as trips, CaptureQueriesContext(connection) as queries:
            answer = browser.get(address)
        assert answer.status_code == 200
        assert len(trips) <= 7, trips.sent
        assert len(queries) <= 13, queries.captured_queries
        found = answer.context["thread"]
        shown = [it for it in found.replies if it.status]
        assert len(shown) <= reply_tree.MOST
        assert len(found.ancestors) <= page.ANCESTORS


@on_sqlite
@shapes
def test_no_query_of_a_thread_reads_a_whole_table(bob: User, root: Status, shape: str) -> None:
    replies = grow(bob, root, SHAPES[shape]()[:300])
    with CaptureQueriesContext(connection) as queries:
        thread(root)
        thread(replies[200])
        thread(root, under=replies[0].pk)
    asked = [it["sql"] for it in queries if "RECURSIVE" in it["sql"]]
    assert len(asked) >= 5
    for sql in asked:
        steps = plan_of(sql)
        assert any(step.startswith("SEARCH status USING COVERING INDEX") for step in steps), steps
        assert not [step for step in steps if step.startswith(("SCAN status", "SCAN gap"))]


def plan_of(sql: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + sql)
        return [row[-1] for row in cursor.fetchall()]


def test_every_reply_of_a_large_thread_can_be_reached(bob: User, root: Status) -> None:
    """By the links on the pages, from the page of the first status."""
    replies = grow(bob, root, bush(1_500))
    seen: set[int] = set()
    waiting: list[tuple[int, int | None]] = [(root.pk, None)]
    while waiting:
        status_id, after = waiting.pop()
        found = thread(Status(pk=status_id), after=after)
        seen |= {it.id for it in found.replies if it.status}
        waiting += [(it.id, None) for it in found.replies if kind_of(it) in ("more", "deeper")]
        waiting += [(status_id, found.next_after)] if found.next_after else []
    assert seen == {reply.pk for reply in replies}


def test_a_chain_can_be_walked_from_its_end_to_its_beginning(bob: User, root: Status) -> None:
    replies = chain(bob, root, 1_000)
    at, pages = replies[-1].pk, 1
    while earlier := thread(Status(pk=at)).earlier:
        at, pages = earlier.id, pages + 1
    assert pages == 1_000 // page.ANCESTORS
    assert drawn(thread(Status(pk=at)).ancestors)[0] == "the beginning"
