"""Following tags. The page of a tag is a timeline: `timelines.views.tag`."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from users.decorators import MemberRequest, member_action
from web.in_place import is_in_place
from web.next_page import next_page

from . import selectors, services


@require_safe
@login_required
def tags(request: MemberRequest) -> HttpResponse:
    return render(request, "tags/tags.html", {"tags": selectors.followed_tags(request.user)})


@member_action
def follow_tag(request: MemberRequest, name: str) -> HttpResponse:
    folded = selectors.folded_or_404(name)
    services.follow_tag(user=request.user, name=folded)
    return _follow_button(request, folded, is_followed=True)


@member_action
def unfollow_tag(request: MemberRequest, name: str) -> HttpResponse:
    folded = selectors.folded_or_404(name)
    services.unfollow_tag(user=request.user, name=folded)
    return _follow_button(request, folded, is_followed=False)


def _follow_button(request: MemberRequest, name: str, *, is_followed: bool) -> HttpResponse:
    if not is_in_place(request):
        return redirect(next_page(request, default=reverse("tag", args=[name])))
    context = {"tag": selectors.tag_named(name), "is_followed": is_followed}
    return render(request, "tags/_follow_button.html", context)
