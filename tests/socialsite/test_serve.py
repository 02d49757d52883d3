import pytest

from redistools.client import get_client, server_version
from socialsite import serve


def test_a_redis_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MINIMUM_VERSION", (99, 1))
    running = ".".join(map(str, server_version(get_client())))
    with pytest.raises(
        serve.ServeError, match=f"Redis {running} is too old: install 99.1 or newer"
    ):
        serve.check_redis()


def test_a_redis_that_is_new_enough_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    serve.check_redis()
    assert "redis │ ready, version" in capsys.readouterr().out
