"""Blocks, mutes, muted words: the buttons, and the pages that list them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from users.decorators import MemberRequest, member_action, of_account
from users.models import User
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page
from web.refusals import Refusal

from .. import selectors
from ..decorators import of_reachable_account
from ..views import back_to
from . import services as blocks_and_mutes
from .forms import MuteForm, WordForm


@member_action
@of_reachable_account
def block(request: MemberRequest, account: User) -> HttpResponse:
    blocks_and_mutes.block(blocker=request.user, blocked=account)
    return back_to(request, account)


@member_action
@of_account
def unblock(request: MemberRequest, account: User) -> HttpResponse:
    blocks_and_mutes.unblock(blocker=request.user, blocked=account)
    return back_to(request, account)


@member_action
@of_reachable_account
def mute(request: MemberRequest, account: User) -> HttpResponse:
    form = MuteForm(request.POST)
    if not form.is_valid():
        raise Refusal(
            gettext("Choose how long the mute lasts: an hour, a day, a week or for ever."),
            code="until",
        )
    blocks_and_mutes.mute(user=request.user, muted=account, until=form.cleaned_data["until"])
    return back_to(request, account)


@member_action
@of_account
def unmute(request: MemberRequest, account: User) -> HttpResponse:
    blocks_and_mutes.unmute(user=request.user, muted=account)
    return back_to(request, account)


@require_safe
@login_required
def blocked(request: MemberRequest) -> HttpResponse:
    people = selectors.blocked(request.user, max_id=number_or_400(request, "max_id"))
    return render(request, "relations/blocked.html", {"people": people})


@require_safe
@login_required
def muted(request: MemberRequest) -> HttpResponse:
    people, endings = selectors.muted(request.user, max_id=number_or_400(request, "max_id"))
    rows = [(person, endings.get(person.id)) for person in people.shown]
    return render(request, "relations/muted.html", {"people": people, "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def words(request: MemberRequest) -> HttpResponse:
    form = WordForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with RefusalsIn(form):
            blocks_and_mutes.mute_word(user=request.user, **form.cleaned_data)
            messages.success(request, gettext("You muted “%(phrase)s”.") % form.cleaned_data)
            return redirect("muted_words")
    muted = selectors.muted_words(request.user)
    return form_page(request, "relations/words.html", form, words=muted)


@member_action
def remove_word(request: MemberRequest, word_id: int) -> HttpResponse:
    if not blocks_and_mutes.unmute_word(user=request.user, word_id=word_id):
        raise Http404("You don't mute such a word.")
    return redirect("muted_words")
