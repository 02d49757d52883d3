"""What SQL keeps of the figures, and what it takes from them."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from insight import keeping, selectors, tasks
from insight.models import Day
from insight.recording.buffer import Visit, buffer
from insight.recording.sending import flush
from insight.structures import visitors
from redistools.client import get_client
from tests.cast import make_user
from tests.redis_keys import keys_of_the_test
from users.models import User

pytestmark = pytest.mark.usefixtures("measuring", "transactional_db")

MONDAY = keeping.monday_of(visitors.today())
WEEK = timedelta(days=7)


def joined(name: str, day: date) -> User:
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return make_user(name, date_joined=moment)


@pytest.fixture
def come(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def come(day: date, *users: User) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(visitors, "today", lambda: day)
            for user in users:
                buffer.visit(Visit(user.pk))
            flush()

    return come


def lose_all_keys() -> None:
    get_client().unlink(*keys_of_the_test())


def test_a_day_outlives_redis(come: Callable[..., None], alice: User, bob: User) -> None:
    today = visitors.today()
    for _ in range(5):
        buffer.count("posts")
    come(today, alice, bob)
    tasks.keep_days.call()
    lose_all_keys()
    visitors.memory.clear()
    buffer.count("posts")
    come(today, alice)
    tasks.keep_days.call()
    tasks.keep_days.call()
    row = Day.objects.get(date=today)
    assert (row.members, row.visitors, row.counts["posts"]) == (2, 2, 5)
    assert selectors.members_of(today) == selectors.visitors_of(today) == 2
    assert [it.date for it in selectors.days(today, today)] == [today]


def test_retention_is_by_week_of_sign_up(come: Callable[..., None]) -> None:
    early = [joined(f"early{it}", MONDAY - 2 * WEEK) for it in range(4)]
    late = [joined(f"late{it}", MONDAY - WEEK + timedelta(days=6)) for it in range(3)]
    come(MONDAY - WEEK, *early[:3])
    come(MONDAY - timedelta(days=1), early[0], *late[:2])
    come(MONDAY, early[1], late[0])
    for monday in (MONDAY - WEEK, MONDAY, MONDAY):
        keeping.keep_week(monday)
    newest, oldest = selectors.retention()
    assert (newest.monday, newest.signed_up, newest.active) == (MONDAY - WEEK, 3, {0: 2, 1: 1})
    assert (oldest.monday, oldest.signed_up, oldest.active) == (MONDAY - 2 * WEEK, 4, {1: 3, 2: 1})


def test_a_week_outlives_redis_and_accounts(come: Callable[..., None]) -> None:
    people = [joined(f"early{it}", MONDAY) for it in range(3)]
    come(MONDAY, *people)
    tasks.keep_weeks.call()
    lose_all_keys()
    people[0].delete()
    tasks.keep_weeks.call()
    (row,) = selectors.retention()
    assert (row.signed_up, row.active) == (3, {0: 3})


def test_the_first_account_of_a_day_is_found_by_id(
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    people = [joined(f"user{it}", MONDAY + timedelta(days=it)) for it in range(10)]
    assert keeping.first_id_since(MONDAY - WEEK) <= people[0].pk
    assert people[3].pk >= keeping.first_id_since(MONDAY + timedelta(days=3)) > people[2].pk
    assert keeping.first_id_since(MONDAY + 3 * WEEK) == people[-1].pk + 1


def test_the_first_accounts_of_a_site_are_of_their_week(come: Callable[..., None]) -> None:
    tasks.keep_weeks.call()
    assert selectors.retention() == []
    come(visitors.today(), joined("first", visitors.today()))
    tasks.keep_weeks.call()
    (row,) = selectors.retention()
    assert (row.monday, row.signed_up, row.active) == (MONDAY, 1, {0: 1})
