import io
import json
import logging

import pytest
from django.core.management import CommandError, call_command

from insight.recording.buffer import buffer
from insight.recording.sending import flush
from tests.insight.logging_process import hear, record
from tests.outages import redis_away

pytestmark = pytest.mark.usefixtures("measuring")


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("insight", *arguments, stdout=out)
    return out.getvalue()


def test_it_shows_what_was_counted_and_how_long_it_took() -> None:
    for _ in range(1_200):
        buffer.count("requests", "2xx")
    buffer.timed("page", "home", 0.012)
    flush()
    shown = said()
    assert "requests 2xx  1,200  requests answered, by class of status" in shown
    assert any(line.split()[:4] == ["page", "home", "1", "12.00"] for line in shown.splitlines())
    assert "sign_ups" not in shown


def test_a_site_that_was_not_measured_says_so() -> None:
    assert "nothing was counted" in said()


def test_a_monitor_gets_json() -> None:
    buffer.count("posts")
    buffer.timed("sql", "COMMIT", 0.002)
    flush()
    shown = json.loads(said("--json", "--hours", "2"))
    assert (shown["hours"], shown["figures"]["posts"]) == (2, 1)
    assert shown["timings"]["sql"][0]["name"] == "COMMIT"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--hours", "0"], "from 1 to 48"), (["--only", "pages"], "some of page, task")],
)
def test_what_it_does_not_know_is_refused(arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        said(*arguments)


def test_it_shows_what_was_logged() -> None:
    hear(record("It is slow", levelno=logging.WARNING))
    for _ in range(2):
        hear(
            record(
                "It\nfailed", levelno=logging.ERROR, exc_info=(ValueError, ValueError("a"), None)
            )
        )
    flush()
    heading, first, second = said("--logs").splitlines()
    assert heading.split() == ["severity", "times", "logger", "message", "last", "error"]
    assert first.split() == ["error", "2", "app", "It", "failed", "ValueError:", "a"]
    assert second.split() == ["warning", "1", "app", "It", "is", "slow"]
    [error, warning] = json.loads(said("--logs", "--json"))["logs"]
    assert (error["severity"], warning["message"]) == ("error", "It is slow")


def test_a_log_that_is_empty_says_so() -> None:
    assert "nothing was logged" in said("--logs")


def test_it_says_when_redis_is_away() -> None:
    with redis_away(), pytest.raises(CommandError, match="Redis does not answer"):
        said()
