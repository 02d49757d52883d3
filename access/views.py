from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from users.decorators import MemberRequest
from web.forms import RefusalsIn, form_page

from . import tokens
from .forms import TokenForm
from .tokens import create_token, revoke_token, tokens_of

CREATED, CREATED_SECONDS = "created_token", 60


@login_required
@never_cache
def access_tokens(request: MemberRequest) -> HttpResponse:
    form = TokenForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid() and (raw := _created(request, form)):
        return _led_to(raw, request)
    response = _tokens_page(request, form, created=_just_created(request))
    response.delete_cookie(CREATED, path=reverse("tokens"), samesite="Strict")
    return response


@login_required
@require_POST
def revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    token = get_object_or_404(tokens_of(request.user), pk=token_id)
    revoke_token(token=token)
    messages.success(request, gettext("The token is revoked, and its streams are closed."))
    return redirect("tokens")


@login_required
@require_POST
def revoke_all(request: MemberRequest) -> HttpResponse:
    count = tokens.revoke_all(user_id=request.user.pk)
    words = ngettext("Revoked: %(count)s token.", "Revoked: %(count)s tokens.", count)
    messages.success(request, words % {"count": count})
    return redirect("tokens")


def _created(request: MemberRequest, form: TokenForm) -> str | None:
    name, scopes = form.cleaned_data["name"], form.scopes()
    with RefusalsIn(form):
        return create_token(user=request.user, name=name, scopes=scopes)[1]
    return None


def _led_to(raw: str, request: MemberRequest) -> HttpResponse:
    """To the page that shows the token once: reloading it makes no second one. Until then only the
    browser has it.
    """
    response = redirect("tokens")
    response.set_signed_cookie(
        CREATED,
        raw,
        salt=_salt(request),
        max_age=CREATED_SECONDS,
        path=reverse("tokens"),
        secure=settings.HTTPS,
        httponly=True,
        samesite="Strict",
    )
    return response


def _just_created(request: MemberRequest) -> str:
    salt = _salt(request)
    return request.get_signed_cookie(CREATED, default="", salt=salt, max_age=CREATED_SECONDS) or ""


def _salt(request: MemberRequest) -> str:
    """Nobody can be tricked into taking somebody else's token for their own."""
    return f"{CREATED}:{request.user.pk}"


def _tokens_page(request: MemberRequest, form: TokenForm, created: str) -> HttpResponse:
    context = {"tokens": tokens_of(request.user), "created": created, "now": timezone.now()}
    return form_page(request, "access/tokens.html", form, **context)
