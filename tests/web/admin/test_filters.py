"""Periods, and the filter that goes from years to days."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client

from tests.cast import browser_of, make_user
from users.models import User
from web.admin import listing
from web.admin.filters import Period

ACCOUNTS = "/admin/users/user/"


@pytest.mark.parametrize(
    ("written", "start", "end"),
    [
        ("2025", (2025, 1, 1), (2026, 1, 1)),
        ("2025-12", (2025, 12, 1), (2026, 1, 1)),
        ("2024-02", (2024, 2, 1), (2024, 3, 1)),
        ("2024-02-29", (2024, 2, 29), (2024, 3, 1)),
    ],
)
def test_a_period_is_read(
    written: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    period = Period.read(written)
    assert period is not None
    assert str(period) == written
    assert period.bounds == (datetime(*start, tzinfo=UTC), datetime(*end, tzinfo=UTC))


@pytest.mark.parametrize(
    "written",
    ["", "x", "25", "2025-13", "2025-02-30", "0000", "9999", "2025-1", "\uff12025"],
)
def test_other_words_are_no_period(written: str) -> None:
    assert Period.read(written) is None


def test_a_period_offers_the_parts_that_have_rows() -> None:
    first, last = date(2025, 11, 20), date(2026, 2, 3)
    within = {it: list(map(str, Period(*it).within(first, last))) for it in [(2025,), (2026, 2)]}
    assert within[(2025,)] == ["2025-12", "2025-11"]
    assert within[(2026, 2)] == ["2026-02-03", "2026-02-02", "2026-02-01"]
    assert list(Period(2026, 2, 3).within(first, last)) == []
    assert list(map(str, Period(2026, 2, 3).around)) == ["2026", "2026-02", "2026-02-03"]
    assert list(map(str, Period(2026).around)) == ["2026"]


@pytest.fixture
def boss(alice: User, carol: User) -> Client:
    """Alice came long before the others."""
    User.objects.filter(pk=alice.pk).update(date_joined=datetime(2024, 5, 6, tzinfo=UTC))
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def found(browser: Client, **query: str) -> list[User]:
    return list(browser.get(ACCOUNTS, query).context["cl"].result_list)


def test_accounts_are_found_by_the_day_they_came(boss: Client, alice: User) -> None:
    for period in ("2024", "2024-05", "2024-05-06"):
        assert found(boss, on=period) == [alice]
        assert found(boss, on=period, is_staff__exact="1") == []
    assert found(boss, on="2024-05-07") == []
    assert len(found(boss, on="nonsense")) == 3
    page = boss.get(ACCOUNTS, {"on": "2024"}).content.decode()
    assert "?on=2024-05" in page
    assert "?on=2024-04" not in page


def test_a_filter_without_an_index_looks_at_the_newest(
    boss: Client, alice: User, carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk__in=[alice.pk, carol.pk]).update(is_private=True)
    monkeypatch.setattr(listing, "LOOKED_AT", 2)
    assert found(boss, is_private__exact="1") == [carol]
    assert "looks at the newest" in boss.get(ACCOUNTS, {"is_private__exact": "1"}).content.decode()
    # Within a period, or with an index, all are found.
    assert found(boss, on="2024", is_private__exact="1") == [alice]
    assert found(boss, is_staff__exact="0") == [carol, alice]
    assert found(boss, q="alice", is_private__exact="1") == [alice]


def test_no_list_is_sorted_by_what_has_no_index(boss: Client) -> None:
    page = boss.get(ACCOUNTS, {"o": "2.-1"})
    assert page.context["cl"].queryset.query.order_by == ("-pk",)
    assert "?o=" not in page.content.decode()


def test_the_days_that_accounts_came_are_those_of_the_newest_first(boss: Client) -> None:
    User.objects.filter(username="boss").update(date_joined=datetime.now(UTC) + timedelta(days=800))
    years = [
        it["display"]
        for it in boss.get(ACCOUNTS)
        .context["cl"]
        .filter_specs[0]
        .choices(boss.get(ACCOUNTS).context["cl"])
    ]
    assert years[0] == "Any date"
    assert years[1:] == sorted(years[1:], reverse=True)
    assert years[-1] == "2024"
