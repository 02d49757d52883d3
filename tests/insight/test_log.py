"""What processes log is counted exactly by message and hour, and costs them nothing."""

import logging
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from insight.log import selectors, store
from insight.log.message import Lines, Severity, Speaker
from insight.recording import log_handler, sending
from insight.recording.buffer import MOST_MESSAGES_HELD, MOST_TRACEBACKS_HELD, buffer
from insight.recording.sending import flush
from processes.supervisor import Supervisor
from redistools import keys
from redistools.client import get_client
from taskqueue import failed_tasks, start
from taskqueue.drain import drain
from tests.cluster import on_a_server
from tests.insight.logging_at_once import log_around
from tests.insight.logging_process import HOUR, hear, record
from tests.insight.reading import counted
from tests.outages import redis_away
from tests.races import in_processes, in_threads
from tests.round_trips import counting_round_trips
from tests.taskqueue.tasks import fail_once_and_for_all

pytestmark = pytest.mark.usefixtures("measuring")

EDGE = float(HOUR * 3600)


@pytest.fixture
def listening() -> Iterator[None]:
    log_handler.listen("web")
    yield
    log_handler.listen_no_more()


def templates(severity: Severity = "warning") -> dict[str, int]:
    flush()
    return {it.message.template: it.times for it in selectors.most_frequent(severity, hours=1)}


def raised(error: Exception) -> object:
    try:
        raise error
    except Exception:
        return sys.exc_info()


def test_equal_messages_are_counted_by_their_template() -> None:
    for number in range(5):
        hear(record("A session %s was not copied: %s", number, "away"))
    hear(record("A session %s was not copied: %s", 1, "away", name="other"))
    hear(record("Redis is back after %.1f s", 0.5))
    flush()
    found = selectors.most_frequent("warning", hours=1)
    assert [(it.message.logger, it.times) for it in found[:1]] == [("app", 5)]
    assert found[0].message.text == "A session 4 was not copied: away"
    assert len(found) == 3


def test_ids_in_a_text_that_is_no_template_do_not_scatter_it() -> None:
    for number in range(3):
        hear(record(f"Worker {number} of 'host{number}' hung"))
        hear(record("%s", f"Request {number} is odd"))
    assert templates() == {"Worker # of # hung": 3, "Request # is odd": 3}


@pytest.mark.parametrize(
    ("level", "severity"),
    [
        (logging.CRITICAL, "critical"),
        (logging.ERROR, "error"),
        (logging.WARNING, "warning"),
        (logging.INFO, "info"),
    ],
)
def test_each_severity_is_apart(level: int, severity: Severity) -> None:
    hear(record("hello", levelno=level))
    assert templates(severity) == {"hello": 1}
    assert selectors.overview(severity).totals[severity] == 1


def test_what_is_for_debugging_is_not_kept(listening: None) -> None:
    logger = logging.getLogger("app")
    logger.setLevel(logging.DEBUG)
    logger.debug("a secret detail")
    logger.setLevel(logging.NOTSET)
    assert not buffer.take().logged


def test_the_hour_of_a_line_is_that_in_which_it_was_logged() -> None:
    for at in (EDGE - 3600, EDGE - 0.001, EDGE, EDGE + 3599.999):
        hear(record("hello", at=at))
    flush()
    for now, this, before in ((EDGE, 2, 2), (EDGE - 1, 2, 0), (EDGE + 3600, 0, 2)):
        found = selectors.overview("warning", now=now)
        assert [it.times for it in found.this_hour] == [this][: bool(this)]
        assert [it.times for it in found.hour_before] == [before][: bool(before)]


def test_a_process_whose_clock_is_ahead_takes_nothing_from_the_hour_of_others() -> None:
    hear(record("hello", at=EDGE + 1), speaker="stream")
    flush()
    hear(record("hello", at=EDGE - 1), speaker="web")
    flush()
    found = selectors.overview("warning", now=EDGE)
    assert [it.times for it in (*found.this_hour, *found.hour_before)] == [1, 1]
    # What was said last counts as the last, also if it is sent before.
    assert found.this_hour[0].message.process.speaker == "stream"


def test_processes_that_log_at_once_lose_nothing_at_the_edge_of_an_hour() -> None:
    in_processes(4, log_around, EDGE, 100)
    found = selectors.overview("warning", now=EDGE)
    assert [it.times for it in (*found.this_hour, *found.hour_before)] == [200, 200]
    assert sum(it.times for it in found.newest) == 400
    assert found.this_hour[0].message.text == f"hello {EDGE + 49}"


def log_often() -> None:
    for number in range(200):
        hear(record("hello %s", number, at=EDGE))


def test_threads_that_log_at_once_lose_nothing() -> None:
    in_threads(5, log_often)
    flush()
    assert [it.times for it in selectors.overview("warning", now=EDGE).this_hour] == [1_000]


def test_only_the_newest_lines_and_messages_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_LINES", 3)
    monkeypatch.setattr(store, "MOST_MESSAGES", 2)
    for number in range(5):
        hear(record("abcde"[number] * 3, at=EDGE + number))
    flush()
    found = selectors.overview("warning", now=EDGE + 10)
    assert [it.text for it in found.newest] == ["eee", "ddd", "ccc"]
    assert len(found.this_hour) <= 2
    left = get_client().zrange(keys.log("warning", "messages"), 0, -1)
    assert len(left) == 2
    kept = store.find("warning", [it.message_id for it in found.newest])
    assert {it.template for it in kept.values()} == {"ddd", "eee"}


def test_nothing_is_kept_for_ever() -> None:
    hear(record("hello", exc_info=raised(ValueError("wrong"))))
    flush()
    client = get_client()
    names = [it for it in client.scan_iter(match=keys.everything()) if keys.kind(str(it)) == "log"]
    assert len(names) == 4
    assert all(0 < client.ttl(it) <= store.KEPT_SECONDS for it in names)


def test_the_last_traceback_stays_when_the_message_comes_without() -> None:
    for words, at in (("first", EDGE), ("second", EDGE + 10)):
        hear(record("It failed", at=at, exc_info=raised(ValueError(words))))
        flush()
    hear(record("It failed", at=EDGE + 20))
    flush()
    [line] = {it.message_id for it in selectors.overview("warning", now=EDGE + 30).newest}
    found = selectors.one_message("warning", line, now=EDGE)
    assert found is not None
    assert found.message.error == "ValueError: second"
    assert "in raised" in found.message.traceback
    assert found.message.at.timestamp() == EDGE + 20
    assert found.message.traceback_at is not None
    assert found.message.traceback_at.timestamp() == EDGE + 10
    assert (found.this_hour, found.hour_before) == (3, 0)


def test_a_page_that_fails_shows_with_its_traceback_and_pattern(
    alice: object, listening: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_options: object) -> None:
        secret_local = "alice@example.com"
        raise RuntimeError(f"broken for {secret_local}")

    monkeypatch.setattr("timelines.views.render", broken)
    visitor = Client(raise_request_exception=False)
    for _ in range(2):
        assert visitor.get("/@alice/?token=abc").status_code == 500
    flush()
    [found] = selectors.most_frequent("error", hours=1)
    assert found.times == 2
    assert found.message.template == "Internal Server Error: /@<username:username>/"
    assert found.message.text == found.message.template
    assert found.message.error == "RuntimeError: broken for …"
    assert "in broken" in found.message.traceback
    assert "alice" not in found.message.traceback


def test_a_page_that_is_not_there_is_not_logged(listening: None, transactional_db: None) -> None:
    Client().get("/no/such/page/")
    assert not buffer.take().logged


def test_a_failed_task_is_a_message_of_its_own_and_leads_to_its_page(
    listening: None, transactional_db: None
) -> None:
    start.in_redis(fail_once_and_for_all)
    drain()
    flush()
    [found] = selectors.most_frequent("error", hours=1)
    assert found.message.template == (
        "Task id=%s path=tests.taskqueue.tasks.fail_once_and_for_all state=%s"
    )
    one = selectors.one_message("error", found.message.id)
    [task] = failed_tasks.newest("default", start=0, limit=1)
    assert one is not None
    assert one.failed_task == f"default:{task.id}"
    failed_tasks.discard("default", [task.id])
    again = selectors.one_message("error", found.message.id)
    assert again is not None
    assert again.failed_task == ""


def test_warnings_of_python_are_heard(listening: None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        log_handler.listen_no_more()
        log_handler.listen("web")
        warnings.warn("old ways", UserWarning, stacklevel=1)
        log_handler.listen_no_more()
    assert any("UserWarning: old ways" in it for it in templates())


def test_the_death_of_a_process_is_heard_from_its_supervisor(
    listening: None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Died(Exception):  # noqa: N818 - it is no error
        pass

    def say(_who: str, _what: str) -> None:
        raise Died

    supervisor = Supervisor(tmp_path, say)
    supervisor.start("web", [sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(Died):
        supervisor.watch()
    supervisor.stop()
    flush()
    [found] = selectors.most_frequent("warning", hours=1)
    assert found.message.text == "A process is started again: web stopped with exit code 3"
    # On the terminal it says so once, in a line of its own.
    assert "started again" not in "".join(capfd.readouterr())


def test_lines_are_told_apart_by_the_kind_of_process() -> None:
    speakers: tuple[Speaker, ...] = ("web", "worker", "worker")
    for speaker in speakers:
        hear(record("hello", at=EDGE), speaker=speaker)
        flush()
    expected: dict[Speaker | None, int] = {"web": 1, "worker": 2, "stream": 0, None: 3}
    for chosen, times in expected.items():
        found = selectors.overview("warning", speaker=chosen, now=EDGE)
        assert sum(it.times for it in found.this_hour) == times
        assert sum(it.times for it in found.newest) == times


def test_all_of_it_is_sent_with_the_rest_in_one_round_trip() -> None:
    hear(record("hello"))
    buffer.count("posts")
    flush()
    hear(record("hello"))
    hear(record("good bye"))
    buffer.count("posts")
    with counting_round_trips() as trips:
        flush()
    assert len(trips) == 1, str(trips)


def test_to_log_asks_no_store(listening: None) -> None:
    with counting_round_trips() as trips:
        logging.getLogger("app").error("It failed", exc_info=ValueError("wrong"))
    assert len(trips) == 0, str(trips)
    assert len(buffer.take().logged) == 1


def test_while_redis_hangs_lines_wait_and_nobody_for_them(listening: None) -> None:
    logger = logging.getLogger("app")
    with redis_away():
        began = time.monotonic()
        for number in range(100):
            logger.warning("A page can't be kept: %s", number)
        flush()
        assert time.monotonic() - began < 1
    assert templates() == {"A page can't be kept: %s": 100}
    assert counted("dropped") == 0


@on_a_server  # of a cluster, only one node hangs
def test_what_redis_did_not_answer_is_counted_once(listening: None) -> None:
    hear(record("hello"))
    with redis_away(is_known=False):
        flush()
    assert templates()["hello"] == 1


def test_what_is_logged_while_lines_are_sent_is_not_sent_again(
    listening: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object) -> None:
        logging.getLogger("redistools").error("The batch is not sent")
        raise RuntimeError("a mistake")

    monkeypatch.setattr(sending, "send", broken)
    for _ in range(3):
        sending.attempt(flush)
    assert not buffer.take().logged
    logging.getLogger("app").warning("A thread that sends nothing is heard")
    assert len(buffer.take().logged) == 1


def test_more_messages_than_a_process_may_hold_are_dropped_and_counted() -> None:
    for number in range(MOST_MESSAGES_HELD + 7):
        hear(record(f"{number:b}".replace("0", "a").replace("1", "b")))
    assert len(buffer.take().logged) == MOST_MESSAGES_HELD
    # What was dropped is told with what is taken.
    hear(record("hello"))
    held = buffer.take()
    assert sum(held.counts.values()) == 0
    assert [it.times for it in held.logged.values()] == [1]


def test_of_many_failures_at_once_some_have_a_traceback() -> None:
    """And no message has the one of another."""
    for number in range(MOST_TRACEBACKS_HELD + 10):
        name = f"{number:06b}".replace("0", "a").replace("1", "b")
        hear(record(name, exc_info=raised(ValueError(name))))
    flush()
    found = [it.message for it in selectors.most_frequent("warning", hours=1)]
    errors = {it.template: it.error for it in found if it.traceback}
    assert errors == {name: f"ValueError: {name}" for name in errors}
    ids = [it.message_id for it in selectors.overview("warning").newest]
    kept = store.find("warning", ids).values()
    assert sum(bool(it.traceback) for it in kept) == MOST_TRACEBACKS_HELD


def test_a_handler_can_log_while_the_buffer_is_in_use() -> None:
    """As garbage does when it is collected, or the handler of a signal."""

    class Noisy(dict[object, Lines]):
        def __contains__(self, _key: object) -> bool:
            if not heard:
                heard.append(True)
                hear(record("in the midst"))
            return super().__contains__(_key)

    heard: list[bool] = []
    buffer._held.logged = Noisy()  # type: ignore[assignment]
    hear(record("hello"))
    assert len(buffer.take().logged) == 2


def test_a_process_listens_while_it_measures(settings: Settings) -> None:
    settings.INSIGHT, buffer.is_on = True, False
    logging.getLogger("app").warning("before")
    sending.start(speaker="stream")
    try:
        logging.getLogger("app").warning("hello")
    finally:
        sending.stop()
    logging.getLogger("app").warning("after")
    assert templates() == {"hello": 1}
    [line] = selectors.overview("warning").newest
    assert line.process.speaker == "stream"


def test_a_site_that_measures_nothing_keeps_no_lines(settings: Settings) -> None:
    settings.INSIGHT = buffer.is_on = False
    sending.start()
    logging.getLogger("app").warning("hello")
    assert not templates()


def test_the_name_of_the_page_is_not_needed(listening: None, transactional_db: None) -> None:
    """Of a request that failed before anybody looked where it leads."""
    hear(record("%s: %s", "Bad", "/about/", status_code=500, request=request_of(reverse("about"))))
    hear(record("%s: %s", "Bad", "/x/", status_code=500, request=request_of("/x/")))
    assert templates() == {"Bad: /about/": 1, "Bad: unknown page": 1}


def request_of(path: str) -> object:
    request = Client().request(PATH_INFO=path).wsgi_request
    request.resolver_match = None
    return request
