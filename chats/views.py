"""The pages of chats. Whoever is no member gets 404, on every path."""

import uuid
from collections.abc import Callable

from django.contrib import messages as notices
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from relations.decorators import of_reachable_account
from relations.selectors import reachable_or_404
from users.decorators import MemberRequest, member_action
from users.models import User
from users.selectors import people
from web.cursors import number_or_400, page_address
from web.forms import RefusalsIn, form_page, posted
from web.in_place import done
from web.templatetags.navigation import unread_badge

from . import membership, selectors, services, showing, starting
from .forms import AddForm, GroupForm, MessageForm, NewChatForm, PreferencesForm
from .models import Chat, Member, Message
from .rows import message_of
from .selectors import ChatPage, membership_or_404
from .writing_to import who_writes_to

reads_and_posts = require_http_methods(["GET", "HEAD", "POST"])
EMOJI = ("👍", "❤️", "😂", "🎉", "😮", "😢")


@require_safe
@login_required
@never_cache
def chats(request: MemberRequest) -> HttpResponse:
    return _list(request, selectors.open_chats, "open")


@require_safe
@login_required
@never_cache
def requests(request: MemberRequest) -> HttpResponse:
    return _list(request, selectors.requests, "requests")


@require_safe
@login_required
@never_cache
def archived(request: MemberRequest) -> HttpResponse:
    return _list(request, selectors.archived_chats, "archived")


def _list(request: MemberRequest, read: Callable[..., ChatPage], kind: str) -> HttpResponse:
    page = read(request.user, below=number_or_400(request, "max_id"))
    context = _rows(request.user, page) | {
        "kind": kind,
        "older": page_address(request, max_id=page.older),
    }
    return render(request, "chats/chats.html", context)


def _rows(user: User, page: ChatPage) -> dict[str, object]:
    waiting = selectors.waiting_requests(user)
    return {"rows": showing.rows(user, page.chats), "waiting": waiting}


@reads_and_posts
@login_required
@never_cache
def chat(request: MemberRequest, chat_id: int) -> HttpResponse:
    """What the page shows counts as read from now on."""
    member = membership_or_404(chat_id, request.user)
    form = MessageForm(request.POST) if request.method == "POST" else _blank(request)
    if form.is_valid():
        with RefusalsIn(form):
            services.send(chat=member.chat, author=request.user, **form.cleaned_data)
            return _back(request, chat_id)
    page = selectors.messages(member, below=number_or_400(request, "max_id"))
    lines = showing.lines(member, request.user, page.messages)
    if request.method == "GET" and page.messages:
        services.see(chat=member.chat, user=request.user, up_to=page.messages[-1].id)
    context = _rows(request.user, selectors.open_chats(request.user)) | {
        "member": member,
        "chat": member.chat,
        "other": showing.other_person(member, request.user),
        "lines": lines,
        "version": page.version,
        "older": page_address(request, max_id=page.older),
        "is_request": member.state == Member.State.PENDING,
        "answering": _answering(member, form),
        "emoji": EMOJI,
    }
    return form_page(request, "chats/chat.html", form, **context)


def _blank(request: MemberRequest) -> MessageForm:
    reply_to = number_or_400(request, "reply_to")
    return MessageForm(initial={"reply_to": reply_to, "idempotency_key": uuid.uuid4().hex})


def _answering(member: Member, form: MessageForm) -> Message | None:
    try:
        return message_of(member, int(form["reply_to"].value() or 0))
    except (Http404, ValueError):
        return None


@require_safe
@login_required
@never_cache
def changes(request: MemberRequest, chat_id: int) -> HttpResponse:
    """For open pages: what has changed since the version that they show, and is read with that."""
    member = membership_or_404(chat_id, request.user)
    missed = selectors.changes(member, since=number_or_400(request, "since_id") or 0)
    if missed is None:
        return HttpResponse(status=410)
    found = sorted(missed.messages)
    lines = showing.lines(member, request.user, found)
    if request.method == "GET" and found:
        services.see(chat=member.chat, user=request.user, up_to=found[-1].id)
    context = {
        "member": member,
        "chat": member.chat,
        "lines": lines,
        "version": missed.version,
        "emoji": EMOJI,
    }
    return render(request, "chats/_lines.html", context)


@require_safe
@login_required
@never_cache
def unread(request: MemberRequest) -> HttpResponse:
    """For open pages: the number beside the way to messages."""
    return HttpResponse(unread_badge(request.user))


@reads_and_posts
@login_required
def new_chat(request: MemberRequest) -> HttpResponse:
    form = NewChatForm(posted(request))
    if form.is_valid():
        with RefusalsIn(form):
            return redirect("chat", _begun(request.user, form).pk)
    return form_page(request, "chats/new.html", form)


def _begun(user: User, form: NewChatForm) -> Chat:
    others, title = form.cleaned_data["people"], form.cleaned_data["title"]
    if title:
        return starting.begin_group(user=user, title=title, others=others)
    return starting.chat_with(user=user, other=others[0])


@member_action
@of_reachable_account
def chat_with(request: MemberRequest, account: User) -> HttpResponse:
    return redirect("chat", starting.chat_with(user=request.user, other=account).pk)


@reads_and_posts
@login_required
@never_cache
def about_chat(request: MemberRequest, chat_id: int) -> HttpResponse:
    member = membership_or_404(chat_id, request.user)
    if not member.chat.is_group:
        raise Http404("Only groups have this page.")
    form = GroupForm(request.POST) if request.method == "POST" else GroupForm.of(member.chat)
    if form.is_valid():
        with RefusalsIn(form):
            membership.change_group(chat=member.chat, by=request.user, **form.cleaned_data)
            return redirect("about_chat", chat_id)
    return _about(request, member, form, AddForm())


def _about(
    request: MemberRequest, member: Member, form: GroupForm, adding: AddForm
) -> HttpResponse:
    """The page of a group; those who have left it see nobody."""
    found = selectors.present_members(member)
    known = people([it.user_id for it in found])
    context = {
        "member": member,
        "chat": member.chat,
        "members": [(it, known[it.user_id]) for it in found if it.user_id in known],
        "adding": adding,
        "is_owner": member.is_present and member.role == Member.Role.OWNER,
    }
    shown = adding if adding.is_bound else form
    response = form_page(request, "chats/about.html", form, **context)
    response.status_code = 400 if shown.is_bound else 200
    return response


@member_action
def add_members(request: MemberRequest, chat_id: int) -> HttpResponse:
    member = membership_or_404(chat_id, request.user)
    form = AddForm(request.POST)
    if form.is_valid():
        with RefusalsIn(form), transaction.atomic():  # all of them, or nobody
            for user in form.cleaned_data["people"]:
                membership.add_member(chat=member.chat, user=user, by=request.user)
            return redirect("about_chat", chat_id)
    return _about(request, member, GroupForm.of(member.chat), form)


@member_action
def remove_member(request: MemberRequest, chat_id: int, username: str) -> HttpResponse:
    member = membership_or_404(chat_id, request.user)
    user = reachable_or_404(username, viewer=None)
    membership.remove_member(chat=member.chat, user=user, by=request.user)
    return redirect("about_chat", chat_id)


@member_action
def leave(request: MemberRequest, chat_id: int) -> HttpResponse:
    membership.leave(chat=membership_or_404(chat_id, request.user).chat, user=request.user)
    notices.success(request, gettext("You have left the group."))
    return redirect("chats")


@member_action
def set_aside(request: MemberRequest, chat_id: int) -> HttpResponse:
    member = membership_or_404(chat_id, request.user)
    wanted = {
        f"is_{name}": request.POST[name] == "on"
        for name in ("muted", "archived")
        if name in request.POST
    }
    membership.set_aside(chat=member.chat, user=request.user, **wanted)
    return redirect("chats") if wanted.get("is_archived") else redirect("chat", chat_id)


@member_action
def accept(request: MemberRequest, chat_id: int) -> HttpResponse:
    starting.accept(chat=membership_or_404(chat_id, request.user).chat, user=request.user)
    return redirect("chat", chat_id)


@member_action
def decline(request: MemberRequest, chat_id: int) -> HttpResponse:
    starting.decline(chat=membership_or_404(chat_id, request.user).chat, user=request.user)
    return redirect("chat_requests")


def _message(request: MemberRequest, chat_id: int, message_id: int) -> Message:
    member = membership_or_404(chat_id, request.user)
    message = message_of(member, message_id)
    message.chat = member.chat
    return message


@reads_and_posts
@login_required
def edit_message(request: MemberRequest, chat_id: int, message_id: int) -> HttpResponse:
    message = _message(request, chat_id, message_id)
    if message.author_id != request.user.pk:
        raise Http404("Only its author edits a message.")
    form = MessageForm(posted(request), initial={"text": message.text})
    if form.is_valid():
        with RefusalsIn(form):
            text = form.cleaned_data["text"]
            services.edit_message(message=message, by=request.user, text=text)
            return redirect("chat", chat_id)
    return form_page(request, "chats/edit.html", form, chat=message.chat)


@member_action
def delete(request: MemberRequest, chat_id: int, message_id: int) -> HttpResponse:
    services.delete_message(message=_message(request, chat_id, message_id), by=request.user)
    return _back(request, chat_id)


@member_action
def hide(request: MemberRequest, chat_id: int, message_id: int) -> HttpResponse:
    services.hide_message(message=_message(request, chat_id, message_id), by=request.user)
    return _back(request, chat_id)


@member_action
def react(request: MemberRequest, chat_id: int, message_id: int) -> HttpResponse:
    """With an emoji that they have given already, takes it back."""
    message, emoji = _message(request, chat_id, message_id), request.POST.get("emoji", "")
    if not services.react(message=message, by=request.user, emoji=emoji):
        services.take_back(message=message, by=request.user, emoji=emoji)
    return _back(request, chat_id)


def _back(request: MemberRequest, chat_id: int) -> HttpResponse:
    return done(request, f"/messages/{chat_id}/")


@reads_and_posts
@login_required
def preferences(request: MemberRequest) -> HttpResponse:
    form = PreferencesForm(posted(request), initial={"who_writes": who_writes_to(request.user)})
    if form.is_valid():
        starting.choose_who_writes(user=request.user, **form.cleaned_data)
        notices.success(request, gettext("Your settings for messages are saved."))
        return redirect("chat_preferences")
    return form_page(request, "chats/preferences.html", form)
