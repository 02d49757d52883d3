"""The settings page of what one's profile says about interests."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from users.decorators import MemberRequest
from web.forms import RefusalsIn, form_page, posted

from .forms import ProfileInterestsForm
from .services import change_interests


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def edit_interests(request: MemberRequest) -> HttpResponse:
    form = ProfileInterestsForm.of(request.user, posted(request))
    if form.is_valid():
        with RefusalsIn(form):
            change_interests(user=request.user, **form.interests)
            messages.success(request, gettext("Your profile is saved."))
            return redirect("profile", request.user.username)
    return form_page(request, "tags/edit_interests.html", form)
