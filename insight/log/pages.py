"""The log in the admin: what is frequent and what is newest, and each message with its last
traceback.
"""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from web.admin.page import AdminPage

from ..models import Log
from . import selectors
from .message import SEVERITIES, SPEAKERS, Severity, Speaker

LIST, MESSAGE = "insight_log_changelist", "insight_log_change"
FAILED_TASK = "taskqueue_failedtask_change"
LONGEST_TITLE = 80
WORDS: Mapping[Severity, str | Promise] = {
    "critical": _("Critical"),
    "error": _("Errors"),
    "warning": _("Warnings"),
    "info": _("Information"),
}


@admin.register(Log)
class LogAdmin(AdminPage[Log]):
    words = _("log"), _("log")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("", view(self.changelist_view), name=LIST),
            path("<path:object_id>/change/", view(self.change_view), name=MESSAGE),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self._refuse_others(request)
        severity = known_severity(request.GET.get("severity", "error"))
        speaker = chosen_speaker(request)
        found = selectors.overview(severity, speaker=speaker)
        context = {
            "found": found,
            "severity": severity,
            "severities": [
                (_address(it, speaker), WORDS[it], found.totals[it], it == severity)
                for it in SEVERITIES
            ],
            "speakers": [
                (_address(severity, it), it or gettext("All"), it == speaker)
                for it in (None, *SPEAKERS)
            ],
        }
        return self._render(request, "list", gettext("Log"), context | (extra_context or {}))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",  # noqa: ARG002 - nothing is sent
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self._refuse_others(request)
        name, _, id_ = unquote(object_id).partition(":")
        severity = known_severity(name)
        found = selectors.one_message(severity, id_)
        if found is None:
            raise Http404("This message is no longer kept.")
        may_see_tasks = request.user.has_perm("taskqueue.view_failedtask")
        task = found.failed_task if may_see_tasks else ""
        context = {
            "found": found,
            "task": task and reverse(f"admin:{FAILED_TASK}", args=[quote(task)]),
            "of_its_severity": (_address(severity, None), WORDS[severity]),
        }
        title = Truncator(found.message.template).chars(LONGEST_TITLE)
        return self._render(request, "message", title, context | (extra_context or {}))

    def _refuse_others(self, request: HttpRequest) -> None:
        if request.method not in ("GET", "HEAD") or not self.has_view_permission(request):
            raise PermissionDenied

    def _render(
        self, request: HttpRequest, template: str, title: str, context: dict[str, Any]
    ) -> TemplateResponse:
        context |= {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
        }
        return TemplateResponse(request, f"admin/insight/log/{template}.html", context)


def known_severity(name: str) -> Severity:
    if name not in SEVERITIES:
        raise Http404(f"There is no severity {name!r}")
    return name


def chosen_speaker(request: HttpRequest) -> Speaker | None:
    chosen = request.GET.get("process", "")
    if chosen not in ("", *SPEAKERS):
        raise Http404(f"There are no processes {chosen!r}")
    return cast("Speaker", chosen) if chosen else None


def _address(severity: Severity, speaker: Speaker | None) -> str:
    query = {"severity": severity} | ({"process": speaker} if speaker else {})
    return f"{reverse(f'admin:{LIST}')}?{urlencode(query)}"
