"""People: a profile with its statuses, followers, and whom somebody follows."""

from functools import partial

from django.core.exceptions import BadRequest, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from socialsite.cursors import number_or_400
from socialsite.next_page import next_page
from timelines import selectors as timelines
from timelines.pages import status_page

from . import selectors, services, throttling
from .decorators import MemberRequest, member_action, of_account, patience_page, viewer_of
from .models import User


@require_safe
@of_account
def profile(request: HttpRequest, account: User) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        "account": account,
        "page": status_page(request, partial(timelines.profile, account, viewer=viewer)),
        "is_followed": selectors.is_following(viewer, account),
    }
    return render(request, "users/profile.html", context)


@require_safe
@of_account
def followers(request: HttpRequest, account: User) -> HttpResponse:
    max_id = number_or_400(request, "max_id")
    people = selectors.followers(account, viewer=viewer_of(request), max_id=max_id)
    return render(request, "users/followers.html", {"account": account, "people": people})


@require_safe
@of_account
def following(request: HttpRequest, account: User) -> HttpResponse:
    max_id = number_or_400(request, "max_id")
    people = selectors.following(account, viewer=viewer_of(request), max_id=max_id)
    return render(request, "users/following.html", {"account": account, "people": people})


@member_action
@patience_page
@of_account
def follow(request: MemberRequest, account: User) -> HttpResponse:
    try:
        with throttling.following(user_id=request.user.pk):
            services.follow(follower=request.user, followee=account)
    except ValidationError as error:
        raise BadRequest(" ".join(error.messages)) from error
    return _back(request, account)


@member_action
@patience_page
@of_account
def unfollow(request: MemberRequest, account: User) -> HttpResponse:
    with throttling.unfollowing(user_id=request.user.pk):
        services.unfollow(follower=request.user, followee=account)
    return _back(request, account)


def _back(request: HttpRequest, account: User) -> HttpResponse:
    return redirect(next_page(request, default=reverse("profile", args=[account.username])))
