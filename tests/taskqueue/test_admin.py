"""Failed tasks in the admin."""

import re
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from staff.models import AuditEntry
from taskqueue import start
from taskqueue.backend import get_backend
from taskqueue.store import Message
from tests.taskqueue import tasks
from tests.taskqueue.observe import drain, size
from users.models import User

LIST = "/admin/taskqueue/failedtask/"

pytestmark = pytest.mark.django_db


def staff(*permissions: str) -> Client:
    user = User.objects.create(username="alice", email="alice@example.org", is_staff=True)
    chosen = [f"{name}_failedtask" for name in permissions]
    user.user_permissions.set(Permission.objects.filter(codename__in=chosen))
    client = Client(enforce_csrf_checks=False)
    client.force_login(user)
    return client


def fail(count: int = 1) -> list[str]:
    calls = [start.call(tasks.fail_once_and_for_all) for _ in range(count)]
    ids = [result.id for result in get_backend("default").enqueue_many(calls)]
    drain()
    assert size("failed") == count
    return ids


def detail(task_id: str) -> str:
    return reverse("admin:taskqueue_failedtask_change", args=[quote(f"default:{task_id}")])


def post(client: Client, url: str, **data: Any) -> str:
    return client.post(url, data, follow=True).content.decode()


def test_the_list_shows_task_error_and_attempts() -> None:
    fail()
    page = staff("view").get(LIST).content.decode()
    assert "tests.taskqueue.tasks.fail_once_and_for_all" in page
    assert "ValueError: no use" in page
    assert "1 failed task" in page


def test_the_admin_index_leads_to_the_list() -> None:
    assert LIST in staff("view").get("/admin/").content.decode()


def test_an_empty_list_says_so() -> None:
    assert "0 failed tasks" in staff("view").get(LIST).content.decode()


def test_a_long_list_has_pages() -> None:
    fail(120)
    client = staff("view")
    first, last = (client.get(LIST, {"p": p}).content.decode() for p in (1, 3))
    assert (first.count("action-select"), last.count("action-select")) == (50, 20)
    assert "120 failed tasks" in first


def test_the_list_leads_to_the_page_of_a_task_with_its_traceback() -> None:
    fail()
    client = staff("view")
    [link] = re.findall(r'<th scope="row"><a href="([^"]+)"', client.get(LIST).content.decode())
    page = client.get(link).content.decode()
    assert "Traceback (most recent call last)" in page
    assert "raise ValueError(&quot;no use&quot;)" in page


def test_unreadable_tasks_can_be_looked_at_too() -> None:
    get_backend("default").hand_over([Message("poison", "default", "<script>not json")])
    drain()
    client = staff("view")
    assert "(unreadable)" in client.get(LIST).content.decode()
    assert "&lt;script&gt;not json" in client.get(detail("poison")).content.decode()


def test_retrying_queues_a_task_again_with_all_its_attempts() -> None:
    [task_id] = fail()
    page = post(staff("view", "change"), detail(task_id), action="retry")
    assert "1 task queued again." in page
    assert (size("failed"), size("ready")) == (0, 1)
    drain()
    assert size("failed") == 1


def test_discarding_removes_a_task_and_is_logged() -> None:
    [task_id] = fail()
    page = post(staff("view", "delete"), detail(task_id), action="discard")
    assert "1 task discarded." in page
    assert (size("failed"), size("ready")) == (0, 0)
    entry = AuditEntry.objects.get()
    assert (entry.object_id, entry.words) == (f"default:{task_id}", "Discarded.")


@pytest.mark.parametrize(("action", "left"), [("retry", 2), ("discard", 0)])
def test_several_tasks_are_handled_at_once(action: str, left: int) -> None:
    ids = fail(3)
    client = staff("view", "change", "delete")
    assert "2 tasks" in post(client, LIST, action=action, _selected_action=ids[:2])
    assert (size("failed"), size("ready")) == (1, left)


def test_without_a_choice_nothing_happens() -> None:
    fail()
    client = staff("view", "change", "delete")
    assert "Choose an action" in post(client, LIST, action="retry")
    assert "Choose an action" in post(client, LIST, action="burn", _selected_action="x")
    assert size("failed") == 1


@pytest.mark.parametrize("action", ["retry", "discard"])
def test_who_may_only_look_may_only_look(action: str) -> None:
    [task_id] = fail()
    client = staff("view")
    assert 'name="action"' not in client.get(LIST).content.decode()
    assert client.post(detail(task_id), {"action": action}).status_code == 403
    bulk = {"action": action, "_selected_action": task_id}
    assert client.post(LIST, bulk).status_code == 403
    assert size("failed") == 1


def test_staff_without_the_permission_see_nothing() -> None:
    [task_id] = fail()
    client = staff()
    assert client.get(LIST).status_code == 403
    assert client.get(detail(task_id)).status_code == 403


def test_a_request_from_elsewhere_is_refused() -> None:
    [task_id] = fail()
    client = staff("view", "change")
    client.handler.enforce_csrf_checks = True
    assert client.post(detail(task_id), {"action": "retry"}).status_code == 403
    assert size("failed") == 1


def test_a_task_that_is_gone_leads_back_to_the_list() -> None:
    page = staff("view").get(detail("gone"), follow=True).content.decode()
    assert "no longer among the failed ones" in page


def test_an_unknown_queue_is_not_found() -> None:
    client = staff("view")
    assert client.get(LIST, {"queue": "nowhere"}).status_code == 404
    assert client.get(f"{LIST}nowhere:1/change/").status_code == 404
