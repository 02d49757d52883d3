"""Who was here: about and exactly, and never found out."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest

from insight import selectors
from insight.exporting import days_here
from insight.recording.buffer import Visit, buffer
from insight.recording.sending import flush
from insight.structures import visitors
from redistools import keys
from redistools.client import get_binary_client, get_client
from redistools.scripts import Batch
from taskqueue.drain import drain
from tests.cast import make_user
from tests.redis_keys import contents_of, keys_of_the_test
from users.models import User
from users.standing.account_deletion import remove_account

TODAY = visitors.today()
ADDRESS, AGENT = "192.0.2.77", "Mozilla/5.0 (Odd; rv:1)"


Here = Callable[..., None]


def visit(*visits: Visit, monkeypatch: pytest.MonkeyPatch, on: date = TODAY) -> None:
    monkeypatch.setattr(visitors, "today", lambda: on)
    for one in visits:
        buffer.visit(one)
    flush()
    monkeypatch.setattr(visitors, "today", lambda: TODAY)


@pytest.fixture
def here(measuring: None, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Lets people visit: today, or `on` another day."""
    return partial(visit, monkeypatch=monkeypatch)


def test_members_are_counted_exactly_and_once(here: Here, transactional_db: None) -> None:
    here(Visit(5), Visit(9), Visit(16))
    here(Visit(5))
    visitors.memory.clear()  # another process
    here(Visit(9))
    assert selectors.members_of(TODAY) == 3
    assert selectors.visitors_of(TODAY) == 3


def test_a_range_of_ids_can_be_counted(here: Here) -> None:
    here(*(Visit(it) for it in (1, 4, 7, 8, 100, 101)))
    active = visitors.actives([TODAY])
    assert active.between(4, 9) == 3
    assert active.between(4, 8) == 2
    assert active.between(101, 1_000_000) == 1
    assert 7 in active
    assert 6 not in active


def test_members_of_thirty_days_are_counted_once(here: Here) -> None:
    for back, who in ((0, 5), (3, 5), (29, 6), (30, 7)):
        here(Visit(who), on=TODAY - timedelta(days=back))
    assert selectors.monthly_members(TODAY) == 2


def test_a_visitor_is_a_browser_at_an_address(here: Here, transactional_db: None) -> None:
    here(Visit(0, ADDRESS, AGENT), Visit(0, ADDRESS, AGENT), Visit(0, ADDRESS, "another"))
    here(Visit(0, "192.0.2.78", AGENT))
    assert selectors.visitors_of(TODAY) == 3
    assert selectors.members_of(TODAY) == 0


def test_a_thousand_visitors_are_off_by_two_percent(here: Here, transactional_db: None) -> None:
    here(*(Visit(0, f"192.0.{it // 250}.{it % 250}", AGENT) for it in range(1_000)))
    assert selectors.visitors_of(TODAY) == pytest.approx(1_000, rel=0.02)


def test_processes_share_the_key_of_the_day(here: Here, transactional_db: None) -> None:
    here(Visit(0, ADDRESS, AGENT))
    visitors.memory.clear()
    here(Visit(0, ADDRESS, AGENT))
    assert selectors.visitors_of(TODAY) == 1


def test_nobody_can_tell_whether_a_visitor_came_back_the_next_day(here: Here) -> None:
    here(Visit(0, ADDRESS, AGENT), Visit(5), on=TODAY - timedelta(days=1))
    here(Visit(0, ADDRESS, AGENT), Visit(5))
    # A member counts once, anybody else once a day.
    assert visitors.count([TODAY, TODAY - timedelta(days=1)]) == 3


def test_the_key_of_a_day_ends_with_it(here: Here) -> None:
    here(Visit(0, ADDRESS, AGENT))
    left = int(get_client().ttl(keys.visitor_key(TODAY.isoformat())))
    now = datetime.now(UTC)
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
    assert 0 < left <= (midnight - now).total_seconds() + 3601


def test_redis_holds_neither_address_nor_browser(here: Here) -> None:
    here(Visit(0, ADDRESS, AGENT))
    held = repr(contents_of(keys_of_the_test())) + repr(keys_of_the_test())
    assert ADDRESS not in held
    assert "Mozilla" not in held


def test_what_says_who_was_here_ends(here: Here) -> None:
    here(Visit(5))
    for name in keys_of_the_test("actives:*"):
        assert 0 < int(get_client().ttl(name)) <= (visitors.ACTIVE_DAYS + 1) * 86_400


def test_an_account_that_leaves_takes_its_days_along(here: Here, transactional_db: None) -> None:
    user = make_user("dora")
    here(Visit(user.pk), Visit(user.pk + 1), on=TODAY - timedelta(days=20))
    there, gone = user.pk + 1, user.pk
    remove_account(user)
    drain()
    active = visitors.actives([TODAY - timedelta(days=20)])
    assert (gone in active, there in active) == (False, True)


def test_an_export_says_on_which_days_somebody_was_here(here: Here) -> None:
    for back in (0, 3, 36, 37):
        here(Visit(5), Visit(6), on=TODAY - timedelta(days=back))
    days = [TODAY - timedelta(days=it) for it in (0, 3, 36)]
    assert visitors.days_of(5) == days
    assert list(days_here(User(pk=5))) == [{"date": it.isoformat()} for it in days]


def test_bits_of_partitions_are_as_redis_wrote_them(here: Here) -> None:
    """A bit that Redis counts is one that we count."""
    here(*(Visit(it) for it in range(1, 60, 7)))
    batch = Batch(get_binary_client())
    names = keys_of_the_test("actives:*")
    for name in names:
        batch.add("BITCOUNT", name)
    assert sum(batch.run()) == visitors.actives([TODAY]).count == len(range(1, 60, 7))
