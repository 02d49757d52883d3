from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from ..decorators import MemberRequest, member_action
from ..login import session_rows
from ..login.session_rows import session_digest
from .forms import NoticesForm

ENDED = "You ended this session on another device."


@login_required
@never_cache
@require_safe
def sessions(request: MemberRequest) -> HttpResponse:
    context = {
        "sessions": session_rows.sessions_of(request.user),
        "this_one": session_digest(request.session.session_key),
        "form": NoticesForm(instance=request.user),
    }
    return render(request, "users/sessions.html", context)


@member_action
def end_session(request: MemberRequest, session_id: int) -> HttpResponse:
    mine = session_rows.sessions_of(request.user)
    session = get_object_or_404(mine, pk=session_id)
    if session.digest == session_digest(request.session.session_key):
        logout(request)
        return redirect("home")
    session_rows.end(mine.filter(pk=session.pk), reason=ENDED)
    messages.success(request, gettext("%(device)s is logged out.") % {"device": session.device})
    return redirect("sessions")


@member_action
def end_others(request: MemberRequest) -> HttpResponse:
    others = session_rows.others_of(request.user, request.session.session_key)
    count = session_rows.end(others, reason=ENDED)
    words = ngettext(
        "Logged out: %(count)s other device.", "Logged out: %(count)s other devices.", count
    )
    messages.success(request, words % {"count": count})
    return redirect("sessions")


@login_required
@require_POST
def login_notices(request: MemberRequest) -> HttpResponse:
    form = NoticesForm(request.POST, instance=request.user)
    if form.is_valid():
        request.user.save(update_fields=["login_notices"])
        messages.success(request, gettext("Saved."))
    return redirect("sessions")
