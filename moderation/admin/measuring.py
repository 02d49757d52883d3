"""Admin pages on which moderators take measures: as actions of a list, and on each row's own page.

Both lead to a page that says what will happen and asks why.
"""

from collections.abc import Collection
from functools import partial
from typing import Any, cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext

from users.models import User
from web.admin.page import AdminPage
from web.forms import RefusalsIn, refusal_of
from web.refusals import Refusal, marked
from web.sql.big_tables import number_in

from ..actions import ACTIONS
from ..forms import MeasureForm
from ..models import Kind, Measure
from ..selectors import MOST, measures_on, reports_on
from ..services import Chosen, account_of, count_before, refuse, take_on_all

# How many rows one action may be about.
MOST_AT_ONCE = 100


class TakesMeasures(AdminPage[Any]):
    offers: Collection[Kind] = ()
    change_form_template = "admin/moderation/measured.html"

    def get_actions(self, request: HttpRequest) -> Any:
        actions = super().get_actions(request)
        if not may_moderate(request):
            return actions
        take = TakesMeasures.take_measure
        ours = {
            it.value: (partial(take, kind=it), it.value, ACTIONS[it].title) for it in self.offers
        }
        return ours | actions

    def take_measure(
        self, request: HttpRequest, queryset: QuerySet[Any], *, kind: Kind
    ) -> HttpResponse | None:
        chosen = list(queryset[: MOST_AT_ONCE + 1])
        moderator = cast("User", request.user)
        if refusal := _refusal(moderator, chosen):
            self.message_user(
                request, gettext("Nothing was changed: %(why)s") % {"why": refusal}, messages.ERROR
            )
            return None
        form = MeasureForm(ACTIONS[kind], request.POST if "confirmed" in request.POST else None)
        if form.is_valid():
            seen = number_in(request.POST.get("seen", ""))
            with RefusalsIn(form):
                taken = take_on_all(kind, chosen, by=moderator, seen=seen, **form.cleaned_data)
                self._say(request, kind, taken)
                return None
        return self._ask(request, kind, chosen, form)

    def _ask(
        self, request: HttpRequest, kind: Kind, chosen: list[Chosen], form: MeasureForm
    ) -> HttpResponse:
        context = self.admin_site.each_context(request) | {
            "title": ACTIONS[kind].title,
            "opts": self.opts,
            "kind": kind,
            "effect": ACTIONS[kind].effect,
            "chosen": chosen,
            "form": form,
            "seen": count_before(chosen),
        }
        page = "admin/moderation/confirm.html"
        answer = TemplateResponse(request, page, context, status=400 if form.is_bound else 200)
        return marked(answer, refusal_of(form))

    def _say(self, request: HttpRequest, kind: Kind, taken: dict[Chosen, Measure]) -> None:
        subjects = dict.fromkeys(measure.subject for measure in taken.values())
        self.message_user(request, f"{kind.label}: {', '.join(subjects)}.", messages.SUCCESS)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        found = self.get_object(request, object_id) if may_moderate(request) else None
        context = self._history(request, found) if found is not None else {}
        return super().change_view(request, object_id, form_url, context | (extra_context or {}))

    def _history(self, request: HttpRequest, chosen: Chosen) -> dict[str, Any]:
        account, status_id = account_of(chosen), self.status_id_of(chosen)
        if account is not None and account.pk == request.user.pk:
            return {}
        return {
            "offers": [(it, ACTIONS[it].title) for it in self.offers],
            "measures": measures_on(account, status_id)[:MOST],
            "reports": reports_on(account, status_id)[:MOST],
        }

    def status_id_of(self, chosen: Any) -> int | None:
        raise NotImplementedError


def may_moderate(request: HttpRequest) -> bool:
    return request.user.has_perm("moderation.change_report")


def _refusal(moderator: User, chosen: Collection[Chosen]) -> str:
    if len(chosen) > MOST_AT_ONCE:
        return gettext("choose at most %(most)s at once.") % {"most": MOST_AT_ONCE}
    for it in chosen:
        try:
            refuse(moderator, account_of(it))
        except Refusal as error:
            return f"{it}: {error}"
    return ""
