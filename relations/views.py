"""People: whom a user follows, who follows them, and who would like to."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from redistools.outages.errors import REDIS_ERRORS
from users.decorators import MemberRequest, member_action, of_account, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.in_place import done, is_in_place
from web.next_page import next_page

from . import selectors, services
from .decorators import of_reachable_account
from .selectors import People


@require_safe
@of_reachable_account
def followers(request: HttpRequest, account: User) -> HttpResponse:
    return _people_of(request, account, selectors.followers, "relations/followers.html")


@require_safe
@of_reachable_account
def following(request: HttpRequest, account: User) -> HttpResponse:
    return _people_of(request, account, selectors.following, "relations/following.html")


def _people_of(
    request: HttpRequest, account: User, read: Callable[..., People], template: str
) -> HttpResponse:
    """Only followers see those of a private account."""
    viewer, max_id = viewer_of(request), number_or_400(request, "max_id")
    if account.is_private and selectors.relationship_with(viewer, account).is_shut_out:
        context = {"account": account, "is_shut_out": True}
        return render(request, "relations/private.html", context, status=403)
    people = read(account, viewer=viewer, max_id=max_id)
    return render(request, template, {"account": account, "people": people})


@member_action
@of_reachable_account
def follow(request: MemberRequest, account: User) -> HttpResponse:
    services.follow(follower=request.user, followee=account)
    relationship = _relationship_now(request.user, account)
    asked, followed = (
        gettext("You asked to follow @%(name)s."),
        gettext("You follow @%(name)s now."),
    )
    return _followed(request, account, relationship, asked if relationship.has_asked else followed)


@member_action
@of_account
def unfollow(request: MemberRequest, account: User) -> HttpResponse:
    had_asked = not is_in_place(request) and _relationship_now(request.user, account).has_asked
    services.unfollow(follower=request.user, followee=account)
    relationship = _relationship_now(request.user, account)
    withdrawn = gettext("You took back your request to follow @%(name)s.")
    unfollowed = gettext("You don't follow @%(name)s any more.")
    return _followed(request, account, relationship, withdrawn if had_asked else unfollowed)


@require_safe
@login_required
def follow_requests(request: MemberRequest) -> HttpResponse:
    max_id = number_or_400(request, "max_id")
    people = selectors.follow_requests(request.user, max_id=max_id)
    return render(request, "relations/follow_requests.html", {"people": people})


@member_action
@of_account
def accept(request: MemberRequest, account: User) -> HttpResponse:
    services.accept(follower=account, followee=request.user)
    return redirect(next_page(request, default=reverse("follow_requests")))


@member_action
@of_account
def refuse(request: MemberRequest, account: User) -> HttpResponse:
    services.refuse(follower=account, followee=request.user)
    return redirect(next_page(request, default=reverse("follow_requests")))


@member_action
@of_account
def remove_follower(request: MemberRequest, account: User) -> HttpResponse:
    services.remove_follower(follower=account, followee=request.user)
    return back_to(request, account)


@member_action
@of_reachable_account
def change_boosts(request: MemberRequest, account: User, *, hidden: bool) -> HttpResponse:
    services.hide_boosts(follower=request.user, followee=account, hidden=hidden)
    return back_to(request, account)


def _followed(
    request: MemberRequest, account: User, relationship: selectors.Relationship, words: str
) -> HttpResponse:
    """A script replaces the button. Without one the page comes again, at the same place, and says
    what happened.
    """
    if not is_in_place(request):
        messages.success(request, words % {"name": account.username})
        return at_person(back_to(request, account), account)
    context = {
        "username": account.username,
        "is_followed": relationship.follows,
        "is_asked": relationship.has_asked,
    }
    return render(request, "relations/_follow_button.html", context)


def _relationship_now(user: User, account: User) -> selectors.Relationship:
    """Knows the answer even if Redis went away since the write."""
    try:
        return selectors.relationship_with(user, account)
    except REDIS_ERRORS:
        return selectors.profile_visit_in_sql(user, account).relationship


def at_person(response: HttpResponse, account: User) -> HttpResponse:
    """Leads to the account's row of the page, unless another place is named."""
    address = response.headers["Location"]
    if "#" not in address and address != reverse("profile", args=[account.username]):
        response.headers["Location"] = f"{address}#person-{account.username}"
    return response


def back_to(request: HttpRequest, account: User) -> HttpResponse:
    return done(request, next_page(request, default=reverse("profile", args=[account.username])))
