"""Writing statuses: the form, and what it answers when it is sent."""

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from redistools.outages.errors import REDIS_ERRORS, is_outage
from users.audience import Visibility
from users.decorators import MemberRequest, member_action
from users.models import User
from users.selectors import UNCONFIRMED
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page, refusal_of
from web.in_place import is_in_place
from web.languages import accepted_by
from web.next_page import next_page, page_before
from web.refusals import unavailable
from web.templatetags.navigation import avatar_of

from . import selectors, services
from .forms import StatusForm
from .models import Status
from .reading import from_sql
from .reading.shown import ShownStatus
from .words import languages

logger = logging.getLogger(__name__)


@require_safe
@login_required
def compose(request: MemberRequest) -> HttpResponse:
    """A page of its own, or the form alone for a script that opens it over another page."""
    viewer, answered = request.user, _answered_or_404(request)
    form = StatusForm(initial={"idempotency_key": uuid.uuid4().hex}, is_reply=bool(answered))
    if answered:
        form.initial["reply_to"] = answered.status.id
    form.suggest_visibility(viewer, answered.status.visibility if answered else Visibility.PUBLIC)
    form.fields["text"].widget.attrs["autofocus"] = True
    back = next_page(request, default=page_before(request) or settings.LOGIN_REDIRECT_URL)
    title = gettext("Reply") if answered else gettext("New post")
    return _form_page(request, form, {"answered": answered, "title": title, "back": back})


def _answered_or_404(request: MemberRequest) -> ShownStatus | None:
    status_id = number_or_400(request, "reply_to")
    answered = selectors.answered(status_id, viewer=request.user)
    if status_id and answered is None:
        raise Http404("There is no such status.")
    return answered


@member_action
def post_status(request: MemberRequest) -> HttpResponse:
    form = StatusForm(request.POST, is_reply=bool(request.POST.get("reply_to")))
    posted = _posted(request, form) if form.is_valid() else None
    if posted is None:
        return _refused(request, form)
    if is_in_place(request):
        return _in_place(request, posted)
    return redirect(_page_of(posted) if posted.reply_to_id else next_page(request))


def _posted(request: MemberRequest, form: StatusForm) -> Status | None:
    guessed = languages.accepted(accepted_by(request))
    with RefusalsIn(form), _put_off_in_outages():
        return services.post_status(
            author=request.user, guessed_language=guessed, **form.cleaned_data
        )
    return None


@contextmanager
def _put_off_in_outages() -> Iterator[None]:
    """If a store is away, nothing was written, and the form keeps the text."""
    try:
        yield
    except Exception as error:
        if not is_outage(error):
            raise
        logger.warning("A post is put off: %s", error)
        words = gettext("This can't be posted right now. Try again in a moment.")
        raise unavailable(words) from error


def _refused(request: MemberRequest, form: StatusForm) -> HttpResponse:
    """Keeps what was typed. While a store may be away or busy, the answered status is not read, so
    the form suggests the narrowest audience.
    """
    refusal = refusal_of(form)
    comes_later = bool(refusal and refusal.retry_after)
    reply_to = None if comes_later else form.cleaned_data.get("reply_to")
    answered = selectors.answered(reply_to, viewer=request.user)
    widest = Visibility.MENTIONED if comes_later and form.is_reply else Visibility.PUBLIC
    form.suggest_visibility(request.user, answered.status.visibility if answered else widest)
    context = {
        "answered": answered,
        "unconfirmed": form.has_error(NON_FIELD_ERRORS, UNCONFIRMED),
        "title": gettext("Not posted yet"),
        "back": next_page(request),
    }
    return _form_page(request, form, context)


def _form_page(request: MemberRequest, form: StatusForm, context: dict[str, Any]) -> HttpResponse:
    language = request.user.posting_language or languages.accepted(accepted_by(request))
    form.suggest_language(language)
    template = "statuses/_compose.html" if is_in_place(request) else "statuses/compose.html"
    return form_page(request, template, form, avatar=avatar_of(request.user), **context)


def _in_place(request: MemberRequest, posted: Status) -> HttpResponse:
    author = request.user
    context = {
        "status": _new(author, posted.pk),
        "back": next_page(request),
        "reply_to": posted.reply_to_id,
        "answered": posted.visibility if posted.reply_to_id else Visibility.PUBLIC,
    }
    return render(request, "statuses/posted.html", context)


def _new(author: User, status_id: int) -> ShownStatus:
    """Works even if Redis went away since: then the copy comes later."""
    try:
        return selectors.status_or_404(author, status_id, viewer=author)
    except REDIS_ERRORS:
        return selectors.status_or_404(author, status_id, viewer=author, show=from_sql.show)


def _page_of(reply: Status) -> str:
    address = reverse("status", args=[reply.author.username, reply.pk])
    return f"{address}#status-{reply.pk}"
