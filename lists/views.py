"""Lists: anybody reads a public one, only its owner changes it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from relations.selectors import reachable_or_404
from users.decorators import MemberRequest, limited, member_action, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.forms import RefusalsIn

from . import selectors as list_selectors
from . import services
from .forms import ListForm, MemberForm
from .models import List

form_page = require_http_methods(["GET", "HEAD", "POST"])


@form_page
@login_required
@limited("list")
def lists(request: MemberRequest) -> HttpResponse:
    form = ListForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and (list_ := _created(request.user, form)):
        return redirect("list_members", list_.pk)
    context = {"form": form, "lists": list_selectors.lists_of(request.user)}
    return render(request, "lists/lists.html", context, status=_code(form))


@form_page
@login_required
@limited("list")
def edit_list(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    form = ListForm(request.POST) if request.method == "POST" else ListForm.of(list_)
    if form.is_valid() and _changed(list_, form):
        return redirect("list", list_id)
    context = {"form": form, "list": list_}
    return render(request, "lists/list_edit.html", context, status=_code(form))


@form_page
@login_required
@limited("list")
def delete_list(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    if request.method != "POST":
        return render(request, "lists/list_delete.html", {"list": list_})
    services.delete_list(list_=list_)
    messages.success(request, f"The list “{list_.name}” is deleted.")
    return redirect("lists")


@require_safe
def list_members(request: HttpRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.list_or_404(list_id, viewer=viewer_of(request))
    return _members_page(request, list_, MemberForm())


@member_action
@limited("member")
def add_member(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    form = MemberForm(request.POST)
    if form.is_valid() and (member := _added(list_, form)):
        messages.success(request, f"{member} is in the list.")
        return redirect("list_members", list_id)
    return _members_page(request, list_, form)


@member_action
@limited("member")
def remove_member(request: MemberRequest, list_id: int) -> HttpResponse:
    list_ = list_selectors.own_list(list_id, owner=request.user)
    member = list_selectors.member_or_404(list_, request.POST.get("username", ""))
    services.remove_from_list(list_=list_, user=member)
    messages.success(request, f"{member} is no longer in the list.")
    return redirect("list_members", list_id)


def _members_page(request: HttpRequest, list_: List, form: MemberForm) -> HttpResponse:
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    people = list_selectors.list_members(list_, viewer=viewer, max_id=max_id)
    context = {"list": list_, "people": people, "form": form}
    return render(request, "lists/list_members.html", context, status=_code(form))


def _created(owner: User, form: ListForm) -> List | None:
    with RefusalsIn(form):
        return services.create_list(owner=owner, **form.cleaned_data)
    return None


def _changed(list_: List, form: ListForm) -> List | None:
    with RefusalsIn(form):
        return services.change_list(list_=list_, **form.cleaned_data)
    return None


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
        complaint = f"No account named @{username}."
        raise ValidationError({"username": complaint}) from None


def _code(form: Form) -> int:
    """A bound form is shown again because it was refused."""
    return 400 if form.is_bound else 200
