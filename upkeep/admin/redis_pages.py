"""What Redis holds of a row, beside what SQL says: `/admin/users/user/<id>/redis/`.

For administrators alone: a timeline names posts that a moderator may not see.
"""

from functools import partial
from typing import Any, TypeVar

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from lists.models import List
from lists.serving_copy import LISTS
from redistools.serving_copy import Scope
from statuses.models import Status
from statuses.serving_copy import STATUSES
from users.models import User
from users.serving_copy import USERS
from web.admin import more_pages
from web.admin.page import AdminPage
from web.refusals import Refusal

from ..holding import held_of, repair

ABOUT: dict[type[Model], Scope] = {User: USERS, Status: STATUSES, List: LISTS}
# Beyond that, a comparison reads more than a page should wait for.
MOST_COMPARED = 20_000
COUNTERS = ("followers_count", "following_count", "statuses_count", "listed_count")
M = TypeVar("M", bound=Model)


def is_administrator(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_superuser


def redis_page(scope: Scope, request: HttpRequest, page: AdminPage[Any], row: Any) -> HttpResponse:
    if request.method == "POST":
        return _repair(scope, request, page, row)
    compare = "compare" in request.GET
    if compare:
        _refuse_big(row)
    context = page.admin_site.each_context(request) | {
        "title": gettext("What Redis holds of %(row)s") % {"row": row},
        "opts": page.opts,
        "original": row,
        "held": held_of(scope, row, compare=compare),
        "is_compared": compare,
    }
    return TemplateResponse(request, "admin/redis.html", context)


def _repair(scope: Scope, request: HttpRequest, page: AdminPage[Any], row: Any) -> HttpResponse:
    if not is_administrator(request):
        raise PermissionDenied
    _refuse_big(row)
    count = len(repair(scope, row))
    if count:
        page.log_change(request, row, "Redis repaired.")
    words = ngettext("%(count)s difference repaired.", "%(count)s differences repaired.", count)
    messages.success(request, words % {"count": count})
    return redirect(f"{request.path}?compare=yes")


def _refuse_big(row: Any) -> None:
    if any(getattr(row, counter, 0) > MOST_COMPARED for counter in COUNTERS):
        words = gettext("This is too much for a page: run manage.py check_timelines instead.")
        raise Refusal(words, code="too_big", status=409)


for model, scope in ABOUT.items():
    view = partial(redis_page, scope)
    more_pages.add(model, more_pages.MorePage("redis", _("in Redis"), view, is_administrator))
