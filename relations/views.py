"""People: whom a user follows, and who follows them."""

from django.core.exceptions import BadRequest, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from users import throttling
from users.decorators import MemberRequest, member_action, of_account, patience_page, viewer_of
from users.models import User
from web.cursors import number_or_400
from web.next_page import next_page

from . import selectors, services


@require_safe
@of_account
def followers(request: HttpRequest, account: User) -> HttpResponse:
    max_id = number_or_400(request, "max_id")
    people = selectors.followers(account, viewer=viewer_of(request), max_id=max_id)
    return render(request, "relations/followers.html", {"account": account, "people": people})


@require_safe
@of_account
def following(request: HttpRequest, account: User) -> HttpResponse:
    max_id = number_or_400(request, "max_id")
    people = selectors.following(account, viewer=viewer_of(request), max_id=max_id)
    return render(request, "relations/following.html", {"account": account, "people": people})


@member_action
@patience_page
@of_account
def follow(request: MemberRequest, account: User) -> HttpResponse:
    try:
        with throttling.writing("follow", user_id=request.user.pk):
            services.follow(follower=request.user, followee=account)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    return _back(request, account)


@member_action
@patience_page
@of_account
def unfollow(request: MemberRequest, account: User) -> HttpResponse:
    with throttling.writing("unfollow", user_id=request.user.pk):
        services.unfollow(follower=request.user, followee=account)
    return _back(request, account)


@member_action
@patience_page
@of_account
def change_boosts(request: MemberRequest, account: User, *, hidden: bool) -> HttpResponse:
    """Hide or show what somebody boosts whom the reader follows."""
    with throttling.writing("boosts_hidden", user_id=request.user.pk):
        services.hide_boosts(follower=request.user, followee=account, hidden=hidden)
    return _back(request, account)


def _back(request: HttpRequest, account: User) -> HttpResponse:
    return redirect(next_page(request, default=reverse("profile", args=[account.username])))
