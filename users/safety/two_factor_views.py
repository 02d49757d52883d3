import segno
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from web.forms import RefusalsIn, form_page, posted

from .. import throttling
from ..decorators import MemberRequest
from ..login import session_rows
from ..login.steps import SECOND_FACTOR
from . import second_factor
from .forms import AppCodeForm, ProofForm


@login_required
@never_cache
@sensitive_post_parameters("password", "code")
def two_factor(request: MemberRequest) -> HttpResponse:
    form = ProofForm(request.user, posted(request))
    if form.is_valid():
        with RefusalsIn(form):
            second_factor.begin(user=request.user)
            return redirect("two_factor_set_up")
    is_on = second_factor.is_on(request.user)
    left = second_factor.codes_left(request.user)
    return form_page(request, "users/two_factor.html", form, is_on=is_on, codes_left=left)


@login_required
@never_cache
@sensitive_post_parameters("code")
def set_up(request: MemberRequest) -> HttpResponse:
    form = AppCodeForm(posted(request))
    if form.is_valid() and (codes := _confirmed(request, form)):
        return _codes_page(request, codes)
    secret = second_factor.unconfirmed_secret(request.user)
    if secret is None or second_factor.is_on(request.user):
        return redirect("two_factor")
    address = second_factor.address_of(secret, request.user)
    shown = {"secret": secret, "address": address, "qr_code": _qr_code(address)}
    return form_page(request, "users/two_factor_set_up.html", form, **shown)


def _qr_code(text: str) -> SafeString:
    """As SVG inside the page: no request to anybody else, who would see what it says.

    The text is drawn, not written: nothing in it can be taken for markup.
    """
    code = segno.make(text, error="m", micro=False)
    # For cameras: dark on light, whatever the colours of the page are.
    svg = code.svg_inline(scale=4, border=4, dark="#000", light="#fff", omitsize=True)
    label = format_html('<svg role="img" aria-label="{}" ', gettext("QR code"))
    return SafeString(svg.replace("<svg ", label, 1))


def _confirmed(request: MemberRequest, form: AppCodeForm) -> list[str] | None:
    """Other devices have to log in again, with a code."""
    with RefusalsIn(form), throttling.code_check(user_id=request.user.pk, device=None):
        codes = second_factor.confirm(user=request.user, code=form.cleaned_data["code"])
        others = session_rows.others_of(request.user, request.session.session_key)
        session_rows.end(others, reason="Two-factor log-in was turned on.")
        request.session[SECOND_FACTOR] = True
        return codes
    return None


@login_required
@never_cache
@sensitive_post_parameters("password", "code")
def new_codes(request: MemberRequest) -> HttpResponse:
    form = ProofForm(request.user, posted(request))
    if form.is_valid() and (codes := second_factor.new_recovery_codes(user=request.user)):
        return _codes_page(request, codes)
    return form_page(request, "users/two_factor_codes.html", form)


@login_required
@never_cache
@sensitive_post_parameters("password", "code")
def turn_off(request: MemberRequest) -> HttpResponse:
    form = ProofForm(request.user, posted(request))
    if form.is_valid():
        second_factor.turn_off(user=request.user)
        messages.success(request, gettext("Two-factor log-in is off."))
        return redirect("two_factor")
    return form_page(request, "users/two_factor_off.html", form)


def _codes_page(request: MemberRequest, codes: list[str]) -> HttpResponse:
    """The codes are kept nowhere, not even for a redirect."""
    return render(request, "users/recovery_codes.html", {"codes": codes})
