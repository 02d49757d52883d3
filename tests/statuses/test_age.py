from datetime import UTC, datetime, timedelta

import pytest

from statuses.html.rendering import age_in

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "shown"),
    [
        (timedelta(seconds=-5), "now"),
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=1), "1m"),
        (timedelta(minutes=59, seconds=59), "59m"),
        (timedelta(hours=1), "1h"),
        (timedelta(hours=23, minutes=59), "23h"),
        (timedelta(days=1), "1d"),
        (timedelta(days=6, hours=23), "6d"),
        (timedelta(days=7), "13 Mar"),
        (timedelta(days=365), "20 Mar 2025"),
    ],
)
def test_times_are_short(age: timedelta, shown: str) -> None:
    assert age_in("en", NOW - age, NOW) == shown
