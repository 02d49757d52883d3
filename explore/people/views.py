"""Pages and buttons about whom to follow."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from relations.decorators import of_reachable_account
from users.decorators import MemberRequest, member_action, of_account, viewer_of
from users.models import User
from web.in_place import done, is_in_place
from web.next_page import next_page

from ..readable import languages_of
from . import services
from .selectors import suggestions

ON_PAGE = 30


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    viewer = viewer_of(request)
    suggested = suggestions(viewer, limit=ON_PAGE, languages=languages_of(request))
    return render(request, "explore/people.html", {"tab": "people", "suggested": suggested})


@member_action
@of_reachable_account
def dismiss(request: MemberRequest, account: User) -> HttpResponse:
    services.dismiss(user=request.user, person=account)
    if not is_in_place(request):
        words = gettext("@%(name)s will not be suggested to you any more.")
        messages.success(request, words % {"name": account.username})
    return done(request, next_page(request, default=reverse("explore_people")))


@member_action
@of_account
def undo_dismissal(request: MemberRequest, account: User) -> HttpResponse:
    services.undo_dismissal(user=request.user, person=account)
    return done(request, next_page(request, default=reverse("explore_people")))
