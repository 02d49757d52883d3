"""The log in the admin: from a message to its last traceback with one click, for who may see it."""

import logging
import sys

import pytest
from django.test import Client

from insight.recording.sending import flush
from staff.roles import Role
from staff.services import give_role
from taskqueue import failed_tasks, start
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.insight.logging_process import hear, record
from tests.outages import redis_away
from tests.taskqueue.tasks import fail_once_and_for_all
from users.models import User

pytestmark = pytest.mark.usefixtures("measuring")

LOG = "/admin/insight/log/"
TIMES = "\N{MULTIPLICATION SIGN}"


@pytest.fixture
def boss(transactional_db: None) -> Client:
    return browser_of(make_user("boss", is_staff=True, is_superuser=True))


def shown(browser: Client, address: str = LOG) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def fail(words: str = "wrong") -> None:
    try:
        raise ValueError(words)
    except ValueError:
        hear(record("It failed", levelno=logging.ERROR, exc_info=sys.exc_info()))


def message_in(page: str) -> str:
    addresses = [it.partition('"')[0] for it in page.split('href="')]
    return next(it for it in addresses if it.endswith("/change/") and "/log/" in it)


def test_an_empty_log_says_what_would_be_there(boss: Client) -> None:
    page = shown(boss)
    assert "Nothing was logged this hour" in page
    assert "The newest 200 lines" in page


def test_one_click_leads_from_a_message_to_its_last_traceback(boss: Client) -> None:
    for _ in range(3):
        fail()
    flush()
    page = shown(boss)
    assert f"3 {TIMES}" in page
    assert "Errors (3)" in page
    assert "ValueError: wrong" in page
    message = shown(boss, message_in(page))
    assert "Traceback (most recent call last)" in message
    assert f"3 {TIMES} this hour, 0 {TIMES} the hour before" in message


def test_lines_are_filtered_by_severity_and_process(boss: Client) -> None:
    hear(record("A warning"), speaker="worker")
    hear(record("An error", levelno=logging.ERROR), speaker="web")
    flush()
    for query, is_warning, is_error in (
        ("", False, True),
        ("?severity=warning", True, False),
        ("?severity=warning&process=worker", True, False),
        ("?severity=warning&process=web", False, False),
    ):
        page = shown(boss, LOG + query)
        assert ("A warning" in page, "An error" in page) == (is_warning, is_error), query
    for query in ("?severity=grave", "?process=spider"):
        assert boss.get(LOG + query).status_code == 404


def test_a_failed_task_is_one_click_away(boss: Client) -> None:
    start.in_redis(fail_once_and_for_all)
    drain()
    [task] = failed_tasks.newest("default", start=0, limit=1)
    said = ("Task id=%s path=%s state=%s", task.id, task.task_path, "FAILED")
    hear(record(*said, levelno=logging.ERROR))
    flush()
    message = shown(boss, message_in(shown(boss)))
    link = f"/admin/taskqueue/failedtask/default_3A{task.id}/change/"
    assert f'href="{link}"' in message
    assert boss.get(link).status_code == 200


def test_markup_is_shown_as_it_is(boss: Client) -> None:
    hear(record("<script>alert(1)</script>", levelno=logging.ERROR))
    fail("<img src=x onerror=alert(1)>")
    flush()
    page = shown(boss)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "<img" not in page


@pytest.mark.parametrize(("role", "status"), [(Role.SUPPORT, 200), (Role.MODERATOR, 403)])
def test_support_reads_it_and_moderators_do_not(alice: User, role: Role, status: int) -> None:
    fail()
    flush()
    boss = browser_of(make_user("boss", is_staff=True, is_superuser=True))
    message = message_in(shown(boss))
    give_role(user=alice, role=role)
    browser = browser_of(alice)
    assert browser.get(LOG).status_code == status
    assert browser.get(message).status_code == status
    assert browser.post(LOG).status_code == 403
    assert (LOG in shown(browser, "/admin/")) == (status == 200)


@pytest.mark.parametrize("address", ["error:0123456789abcdef", "grave:1", "error", "x_3Ay"])
def test_a_message_that_is_not_kept_is_not_found(boss: Client, address: str) -> None:
    assert boss.get(f"{LOG}{address}/change/").status_code == 404


def test_it_speaks_chinese(transactional_db: None) -> None:
    boss = make_user("boss", is_staff=True, is_superuser=True, language="zh-hans")
    assert "本小时没有日志" in shown(browser_of(boss))


def test_while_redis_is_away_it_says_so(boss: Client) -> None:
    shown(boss)
    boss.raise_request_exception = False
    with redis_away():
        assert boss.get(LOG).status_code == 503
