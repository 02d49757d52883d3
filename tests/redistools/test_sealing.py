import pytest
from pytest_django import Settings

from redistools.sealing import seal, unseal

SEALED_BY_AN_EARLIER_VERSION = "JBmTm3/iRpsaiUwlOch+58GhqDlxmdxRvQuqcZ0fCjzJ"


def test_what_an_earlier_version_sealed_can_be_read(settings: Settings) -> None:
    settings.SECRET_KEY = "a secret of the tests"
    assert unseal(SEALED_BY_AN_EARLIER_VERSION, owner="event log") == b"words"


@pytest.mark.parametrize("change", [{"owner": "session"}, {"secret": "another"}, {"text": "AAAA"}])
def test_nobody_else_can_read_it(settings: Settings, change: dict[str, str]) -> None:
    sealed = change.get("text") or seal(b"words", owner="event log")
    settings.SECRET_KEY = change.get("secret", settings.SECRET_KEY)
    assert unseal(sealed, owner=change.get("owner", "event log")) is None
