"""Failed tasks in the admin: list, traceback, retry, discard."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django_tasks import task_backends

from taskqueue import failed_tasks
from taskqueue.backend import RedisBackend
from taskqueue.failed_tasks import StoredFailedTask
from taskqueue.models import FailedTask
from web.admin.leads import Link
from web.admin.page import AdminPage
from web.admin.to_do import to_do

PER_PAGE = 50
CHANGELIST, CHANGE = "taskqueue_failedtask_changelist", "taskqueue_failedtask_change"


class Action(NamedTuple):
    act: Callable[[str, list[str]], int]
    noted: str
    done: Callable[[int], str]


ACTIONS = {
    "retry": Action(
        failed_tasks.retry,
        "Queued again.",
        lambda count: ngettext(
            "%(count)s task queued again.", "%(count)s tasks queued again.", count
        ),
    ),
    "discard": Action(
        failed_tasks.discard,
        "Discarded.",
        lambda count: ngettext("%(count)s task discarded.", "%(count)s tasks discarded.", count),
    ),
}


class FailedTasks(Sequence[StoredFailedTask]):
    """The failed tasks of a queue for Django's paginator: only one page is ever read."""

    def __init__(self, queue_name: str) -> None:
        self._queue_name = queue_name

    def __len__(self) -> int:
        return failed_tasks.count(self._queue_name)

    def __getitem__(self, place: Any) -> Any:
        start, limit = place.start, place.stop - place.start
        return failed_tasks.newest(self._queue_name, start=start, limit=limit)


@admin.register(FailedTask)
class FailedTaskAdmin(AdminPage[FailedTask]):
    words = _("failed task"), _("failed tasks")
    allows = ("change", "delete")

    def get_urls(self) -> list[URLPattern]:
        """Nothing is added, and discarding is an action: two pages are all there is."""
        view = self.admin_site.admin_view
        return [
            path("", view(self.changelist_view), name=CHANGELIST),
            path("<path:object_id>/change/", view(self.change_view), name=CHANGE),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self._require(self.has_view_permission(request))
        queues = queue_names()
        chosen = request.GET.get("queue", queues[0])
        if chosen not in queues:
            raise Http404(f"There is no queue {chosen!r}")
        if request.method == "POST":
            self._act(request, chosen, request.POST.getlist("_selected_action"))
            return redirect(request.get_full_path())
        page = Paginator(FailedTasks(chosen), PER_PAGE).get_page(request.GET.get("p"))
        rows = [(task, object_id(task)) for task in page.object_list]
        counts = [(name, failed_tasks.count(name)) for name in queues]
        context = {"page": page, "rows": rows, "counts": counts, "chosen": chosen}
        return self._render(
            request, "change_list", gettext("Failed tasks"), context | (extra_context or {})
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",  # noqa: ARG002 - no form of Django's
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self._require(self.has_view_permission(request))
        queue_name, _, task_id = unquote(object_id).partition(":")
        if queue_name not in queue_names():
            raise Http404(f"There is no queue {queue_name!r}")
        task = failed_tasks.get(queue_name, task_id)
        if task is None:
            messages.warning(request, gettext("This task is no longer among the failed ones."))
            return redirect(f"admin:{CHANGELIST}")
        if request.method == "POST":
            self._act(request, queue_name, [task_id])
            return redirect(f"{reverse(f'admin:{CHANGELIST}')}?queue={queue_name}")
        context = {"task": task} | (extra_context or {})
        return self._render(request, "change_form", task.task_path, context)

    def _act(self, request: HttpRequest, queue_name: str, task_ids: list[str]) -> None:
        action = request.POST.get("action", "")
        if action not in ACTIONS or not task_ids:
            messages.warning(request, gettext("Choose an action and one or more tasks."))
            return
        act, noted, done = ACTIONS[action]
        self._require(self._may(request, action))
        changed = act(queue_name, task_ids)
        for task_id in task_ids:
            self.log_change(request, FailedTask(id=f"{queue_name}:{task_id}"), noted)
        messages.success(request, done(changed) % {"count": changed})

    def _may(self, request: HttpRequest, action: str) -> bool:
        is_retry = action == "retry"
        return (self.has_change_permission if is_retry else self.has_delete_permission)(request)

    def _require(self, allowed: bool) -> None:
        if not allowed:
            raise PermissionDenied

    def _render(
        self, request: HttpRequest, template: str, title: str, context: dict[str, Any]
    ) -> TemplateResponse:
        context |= {
            **self.admin_site.each_context(request),
            "title": title,
            "kind_of_page": template.replace("_", "-"),
            "opts": self.opts,
            "may_retry": self.has_change_permission(request),
            "may_discard": self.has_delete_permission(request),
        }
        return TemplateResponse(request, f"admin/taskqueue/failedtask/{template}.html", context)


@to_do
def waiting(request: HttpRequest) -> Link | None:
    if not request.user.has_perm("taskqueue.view_failedtask"):
        return None
    counts = {name: failed_tasks.count(name) for name in queue_names()}
    if not (count := sum(counts.values())):
        return None
    words = ngettext("%(count)s failed task", "%(count)s failed tasks", count)
    fullest = max(counts, key=lambda name: counts[name])
    address = f"{reverse(f'admin:{CHANGELIST}')}?queue={fullest}"
    return Link(address, words % {"count": count})


def queue_names() -> list[str]:
    backends = [backend for backend in task_backends.all() if isinstance(backend, RedisBackend)]
    return sorted({name for backend in backends for name in backend.all_shards()}) or ["default"]


def object_id(task: StoredFailedTask) -> str:
    return quote(f"{task.queue_name}:{task.id}")
