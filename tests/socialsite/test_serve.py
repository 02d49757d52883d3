import pytest
from pytest_django import Settings

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


@pytest.mark.parametrize(
    ("host", "proxies", "warned"),
    [
        ("127.0.0.1", 0, False),
        ("localhost", 0, False),
        ("::1", 0, False),
        ("0.0.0.0", 0, True),
        ("192.0.2.7", 0, True),
        ("0.0.0.0", 1, False),
    ],
)
def test_ports_that_are_open_without_a_proxy_are_mentioned(
    settings: Settings, capsys: pytest.CaptureFixture[str], host: str, proxies: int, warned: bool
) -> None:
    settings.HOST, settings.TRUSTED_PROXIES = host, proxies
    serve.warn_of_open_ports()
    assert ("no proxy is declared" in capsys.readouterr().out) is warned
