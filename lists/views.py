"""Lists: anybody reads a public one, only its owner changes it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from relations.decorators import of_reachable_account
from relations.selectors import reachable_or_404, relationship_with
from relations.views import at_person
from users.decorators import MemberRequest, member_action, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page, posted
from web.next_page import next_page

from . import selectors as list_selectors
from . import services
from .forms import ListForm, MemberForm, SortingForm
from .models import List

reads_and_posts = require_http_methods(["GET", "HEAD", "POST"])


@reads_and_posts
@login_required
def lists(request: MemberRequest) -> HttpResponse:
    form = ListForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form):
            list_ = services.create_list(owner=request.user, **form.cleaned_data)
            return redirect("list_members", list_.pk)
    return form_page(request, "lists/lists.html", form, lists=list_selectors.lists_of(request.user))


@reads_and_posts
@login_required
def edit_list(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    form = ListForm(request.POST) if request.method == "POST" else ListForm.of(list_)
    if form.is_valid():
        with RefusalsIn(form):
            services.change_list(list_=list_, **form.cleaned_data)
            return redirect("list", list_id)
    return form_page(request, "lists/list_edit.html", form, list=list_)


@reads_and_posts
@login_required
def delete_list(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    if request.method != "POST":
        return render(request, "lists/list_delete.html", {"list": list_})
    services.delete_list(list_=list_)
    messages.success(request, gettext("The list “%(name)s” is deleted.") % {"name": list_.name})
    return redirect("lists")


@require_safe
@of_reachable_account
def lists_of_account(request: HttpRequest, account: User) -> HttpResponse:
    viewer = viewer_of(request)
    relationship = relationship_with(viewer, account)
    shown = list_selectors.shown_lists(account, viewer=viewer)
    context = {
        "account": account,
        "lists": [] if relationship.blocks else shown,
        "is_shut_out": relationship.is_shut_out,
    }
    return render(request, "lists/profile_lists.html", context)


@reads_and_posts
@login_required
@of_reachable_account
def sort_into_lists(request: MemberRequest, account: User) -> HttpResponse:
    lists = list_selectors.lists_of(request.user)
    held = list_selectors.own_lists_with(request.user, account)
    form = SortingForm(lists, posted(request), initial={"lists": sorted(held)})
    if form.is_valid() and _sorted(request.user, account, form):
        messages.success(request, gettext("Your lists are saved."))
        return redirect("profile", account.username)
    return form_page(request, "lists/sort.html", form, account=account)


def _sorted(owner: User, account: User, form: SortingForm) -> bool:
    given = form.cleaned_data
    chosen, new = given.get("lists", []), given["name"]
    with RefusalsIn(form):
        services.sort_into(
            owner=owner, user=account, list_ids=chosen, new_list=new, is_private=given["is_private"]
        )
        return True
    return False


@require_safe
def list_members(request: HttpRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.list_or_404(list_id, viewer=viewer_of(request))
    return _members_page(request, list_, MemberForm())


@member_action
def add_member(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    form = MemberForm(request.POST)
    if form.is_valid() and (member := _added(list_, form)):
        messages.success(request, gettext("%(account)s is in the list.") % {"account": member})
        return at_person(_back_to(request, list_id), member)
    return _members_page(request, list_, form)


@member_action
def remove_member(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    member = list_selectors.member_or_404(list_, request.POST.get("username", ""))
    services.remove_from_list(list_=list_, user=member)
    messages.success(
        request, gettext("%(account)s is no longer in the list.") % {"account": member}
    )
    return _back_to(request, list_id)


def _back_to(request: HttpRequest, list_id: int) -> HttpResponse:
    return redirect(next_page(request, default=reverse("list_members", args=[list_id])))


def _members_page(request: HttpRequest, list_: List, form: MemberForm) -> HttpResponse:
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    people = list_selectors.list_members(list_, viewer=viewer, max_id=max_id)
    return form_page(request, "lists/list_members.html", form, list=list_, people=people)


def _added(list_: List, form: MemberForm) -> User | None:
    with RefusalsIn(form):
        member = _account_named(form.cleaned_data["username"], owner=list_.owner)
        services.add_to_list(list_=list_, user=member)
        return member
    return None


def _account_named(username: str, *, owner: User) -> User:
    try:
        return reachable_or_404(username, viewer=owner)
    except Http404:
        complaint = gettext("No account named @%(username)s.") % {"username": username}
        raise ValidationError({"username": complaint}) from None
