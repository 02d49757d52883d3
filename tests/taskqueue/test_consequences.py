"""The register of consequences: who is called, and in which order."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from django.conf import settings

from taskqueue.consequences import Event


def consequence_of(app: str, called: list[str], name: str = "") -> Callable[[], None]:
    def consequence() -> None:
        called.append(name or app)

    consequence.__module__ = f"{app}.consequences"
    return consequence


@pytest.fixture
def event() -> Event[[]]:
    @Event
    def happened() -> None:
        """Something was written."""

    return happened


def test_consequences_run_in_the_order_of_the_apps_whoever_was_imported_first(
    event: Event[[]],
) -> None:
    called: list[str] = []
    apps = ["notifications", "users", "timelines", "statuses", "relations"]
    for app in apps:
        event.then(consequence_of(app, called))
    event()
    assert called == sorted(apps, key=settings.INSTALLED_APPS.index)


def test_within_an_app_they_run_in_the_order_of_the_file(event: Event[[]]) -> None:
    called: list[str] = []
    for app, name in (("lists", "third"), ("users", "first"), ("users", "second")):
        event.then(consequence_of(app, called, name))
    event()
    assert called == ["first", "second", "third"]


def test_one_that_fails_stops_the_rest(event: Event[[]]) -> None:
    called: list[str] = []

    def fail() -> None:
        raise ValueError("out of order")

    fail.__module__ = "statuses.consequences"
    event.then(consequence_of("timelines", called))
    event.then(fail)
    event.then(consequence_of("users", called))
    with pytest.raises(ValueError, match="out of order"):
        event()
    assert called == ["users"]


def test_an_event_returns_what_its_consequences_returned(event: Event[[]]) -> None:
    for app, answer in (("timelines", [2]), ("users", [1])):
        consequence = lambda answer=answer: answer  # noqa: E731 - named by its module alone
        consequence.__module__ = f"{app}.consequences"
        event.then(consequence)
    assert event() == [[1], [2]]


def test_apps_are_found_by_the_name_of_their_module() -> None:
    """Whatever the caller has imported. In a process of its own: here everything is."""
    code = """
import django
django.setup()
from users.events import whose_counters_change
from users.models import User
print([it.__module__ for it in whose_counters_change.consequences()])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['relations.consequences', 'lists.consequences']"
