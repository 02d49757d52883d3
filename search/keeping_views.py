"""Saved searches, and the newest few that somebody made."""

from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from users import throttling
from users.decorators import MemberRequest, member_action
from web.forms import RefusalsIn, form_page, posted
from web.next_page import next_page
from web.refusals import answers_json

from . import selectors, services
from .forms import SearchNameForm
from .live_searches import can_be_live
from .models import LONGEST_QUERY
from .query.parsing import parse

SAVED_IN_THE_BOX = 5


@member_action
def save(request: MemberRequest) -> HttpResponse:
    query = request.POST.get("q", "").strip()[:LONGEST_QUERY]
    search = services.save_search(user=request.user, query=query)
    messages.success(request, gettext("The search is saved."))
    return redirect(address_of(search.query))


def address_of(query: str) -> str:
    return f"{reverse('search')}?{urlencode({'q': query})}"


@require_safe
@login_required
def saved(request: MemberRequest) -> HttpResponse:
    context = {
        "searches": [
            {"saved": it, "can_notify": can_be_live(parse(it.query))}
            for it in selectors.saved_searches(request.user)
        ]
    }
    return render(request, "search/saved.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def rename(request: MemberRequest, search_id: int) -> HttpResponse:
    search = selectors.own_search(search_id, owner=request.user)
    form = SearchNameForm(posted(request)) if posted(request) else SearchNameForm.of(search)
    if form.is_valid():
        with RefusalsIn(form):
            services.rename_search(search=search, name=form.cleaned_data["name"])
            return redirect("saved_searches")
    return form_page(request, "search/rename.html", form, search=search)


@member_action
def delete(request: MemberRequest, search_id: int) -> HttpResponse:
    search = selectors.own_search(search_id, owner=request.user)
    services.delete_search(search=search)
    messages.success(request, gettext("The saved search is deleted."))
    return redirect(next_page(request, default=reverse("saved_searches")))


@member_action
def notify(request: MemberRequest, search_id: int) -> HttpResponse:
    search = selectors.own_search(search_id, owner=request.user)
    services.notify_of_search(search=search, wanted=request.POST.get("wanted") == "1")
    return redirect("saved_searches")


@require_safe
@login_required
def open_search(request: MemberRequest, search_id: int) -> HttpResponse:
    """Notifications know a search by its number."""
    return redirect(address_of(selectors.own_search(search_id, owner=request.user).query))


@member_action
def forget(request: MemberRequest) -> HttpResponse:
    """All recent searches, or one."""
    services.forget_searches(user=request.user, query=request.POST.get("q", ""))
    return redirect("search")


@require_safe
@login_required
@answers_json()
def kept(request: MemberRequest) -> HttpResponse:
    """For the box, before anything is typed: the newest, and what each is. Two queries."""
    throttling.count_completion(user_id=request.user.pk)
    saved_ones = selectors.saved_searches(request.user)[:SAVED_IN_THE_BOX]
    found = [(it.query, it.name, gettext("Saved")) for it in saved_ones]
    known = {it.query for it in saved_ones}
    recent = selectors.recent_searches(request.user)
    found += [(it.query, "", gettext("Recent")) for it in recent if it.query not in known]
    return JsonResponse({"searches": found})
