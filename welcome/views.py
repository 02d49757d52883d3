"""The first steps of a new account. Each can be skipped, and done later."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from explore.people.selectors import suggestions
from explore.readable import languages_of, names_of, readable_first
from explore.selectors import trending_tags
from tags.interests.services import add_interests
from tags.services import follow_tags
from tags.store import followed_names
from users import first_steps
from users.decorators import MemberRequest, member_action
from users.first_steps import FirstStep, open_steps
from users.services import change_profile
from web.forms import form_page, posted
from web.next_page import next_page
from web.uploads import takes_files

from .forms import InterestsForm, IntroductionForm
from .progress import address_of, progress_of

TRENDING, SUGGESTED = 24, 12

reads_and_posts = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@login_required
def welcome(request: MemberRequest) -> HttpResponse:
    waiting = open_steps(request.user)
    return redirect(address_of(waiting[0]) if waiting else reverse("home"))


@takes_files
@reads_and_posts
@login_required
def profile(request: MemberRequest) -> HttpResponse:
    form = IntroductionForm(posted(request), request.FILES or None, instance=request.user)
    progress = progress_of(request.user, "profile")
    if form.is_valid():
        change_profile(user=request.user, **form.profile)
        return redirect(progress.following)
    return form_page(request, "welcome/profile.html", form, progress=progress)


@reads_and_posts
@login_required
def interests(request: MemberRequest) -> HttpResponse:
    form = InterestsForm(posted(request))
    progress = progress_of(request.user, "interests")
    if form.is_valid():
        follow_tags(user=request.user, names=form.wanted())
        if form.cleaned_data["on_profile"]:
            add_interests(user=request.user, names=form.wanted())
        return redirect(progress.following)
    codes = languages_of(request)
    context = {
        "progress": progress,
        "tags": readable_first(trending_tags(TRENDING), codes),
        "languages": names_of(codes),
        "followed": set(followed_names(request.user.pk)),
    }
    return form_page(request, "welcome/interests.html", form, **context)


@require_safe
@login_required
def people(request: MemberRequest) -> HttpResponse:
    codes = languages_of(request)
    suggested = suggestions(request.user, limit=SUGGESTED, languages=codes)
    return _step(request, "people", {"suggested": suggested})


@require_safe
@login_required
def post(request: MemberRequest) -> HttpResponse:
    return _step(request, "post", {})


@member_action
def dismiss(request: MemberRequest) -> HttpResponse:
    first_steps.dismiss(user=request.user)
    return redirect(next_page(request))


def _step(request: MemberRequest, step: FirstStep, context: dict[str, Any]) -> HttpResponse:
    progress = progress_of(request.user, step)
    return render(request, f"welcome/{step}.html", {"progress": progress, **context})
