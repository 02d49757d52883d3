from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from configuration.current import observer
from configuration.services import change_settings
from insight.places import loading
from insight.places.models import PlacesFile
from insight.places.recording import lookups
from tests.cast import make_user
from users.models import User

# Made-up: where addresses for documentation are.
FILE = """\
192.0.2.0,192.0.2.127,DE,Berlin,Berlin
192.0.2.128,192.0.2.255,DE,Bavaria,Munich
198.51.100.0,198.51.100.255,FR,,
203.0.113.0,203.0.113.255,-,,
2001:db8::,2001:db8:0:ffff:ffff:ffff:ffff:ffff,NZ,Otago,Dunedin
"""
BERLIN, MUNICH, FRANCE = "192.0.2.1", "192.0.2.200", "198.51.100.7"
NOWHERE, DUNEDIN = "203.0.113.5", "2001:db8:0:7::1"

Load = Callable[[str], PlacesFile]


@pytest.fixture
def root(transactional_db: None) -> User:
    return make_user("root", is_staff=True, is_superuser=True)


@pytest.fixture
def switch(root: User) -> Callable[[bool], None]:
    """Switches places on or off, as an administrator does."""

    def do_switch(is_on: bool) -> None:
        change_settings(by=root, notes_places=is_on)
        observer.ask_again()

    return do_switch


@pytest.fixture
def load(transactional_db: None, tmp_path: Path) -> Load:
    """Loads a file with these lines."""

    def do_load(text: str) -> PlacesFile:
        path = tmp_path / "places.csv"
        path.write_text(text)
        return loading.load_file(path)

    return do_load


@pytest.fixture
def places(switch: Callable[[bool], None], load: Load, settings: Settings) -> Iterator[None]:
    """Places are noted, and there is a file."""
    settings.INSIGHT = True
    switch(True)
    load(FILE)
    lookups.clear()
    yield
    lookups.clear()
