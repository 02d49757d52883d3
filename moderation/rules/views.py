"""Rules, which can be tried before they hold, and new accounts that look like spam."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from users.decorators import MemberRequest
from web.cursors import number_or_400
from web.forms import RefusalsIn, form_page, posted

from ..models import Rule
from ..queue.access import moderators_only
from ..queue.views import frame
from ..selectors import visible_statuses
from ..signs import suspects
from . import services
from .forms import RuleForm
from .patterns import Pattern
from .trying import Caught, what_it_would_have_caught

PAGE_SIZE = 50
# What these look for, moderators don't see of accounts: so few people could be told apart.
NOT_SHOWN = (Pattern.MAIL, Pattern.ADDRESS)
FEWEST_TOLD = 10


@require_http_methods(["GET", "HEAD", "POST"])
@moderators_only
def rules(request: MemberRequest) -> HttpResponse:
    """A POST adds a rule, or, if it says `try`, shows what the rule would have caught."""
    form = RuleForm(posted(request), instance=Rule())
    context: dict[str, Any] = {}
    if form.is_valid() and "try" in request.POST:
        context = _tried(request, form.instance)
        context |= _page(request) | {"form": form}
        return render(request, "moderation/rules/rules.html", context)
    if form.is_valid():
        with RefusalsIn(form):
            rule = services.add_rule(rule=form.instance, by=request.user)
            messages.success(request, gettext("The rule holds now: %(rule)s") % {"rule": rule})
            return redirect("moderation_rules")
    if asked := number_or_400(request, "try"):
        rule = get_object_or_404(Rule, pk=asked)
        form, context = RuleForm(instance=rule), _tried(request, rule)
    return form_page(request, "moderation/rules/rules.html", form, **_page(request), **context)


def _page(request: MemberRequest) -> dict[str, Any]:
    after = number_or_400(request, "after")
    found = Rule.objects.order_by("-pk").select_related("by")
    shown = list((found.filter(pk__lt=after) if after else found)[: PAGE_SIZE + 1])
    return frame(request, "rules") | {
        "rules": shown[:PAGE_SIZE],
        "after": shown[PAGE_SIZE - 1].pk if len(shown) > PAGE_SIZE else None,
        "may_change": request.user.has_perm("moderation.change_rule"),
    }


def _tried(request: MemberRequest, rule: Rule) -> dict[str, Any]:
    readable = visible_statuses(request.user)
    caught = what_it_would_have_caught(rule, now=timezone.now(), posts=readable)
    may_tell = rule.kind not in NOT_SHOWN or request.user.has_perm("users.change_user")
    return {
        "tried": rule,
        "caught": caught,
        "examples": _examples(caught) if may_tell else [],
        "is_too_few": not may_tell and caught.count < FEWEST_TOLD,
    }


def _examples(caught: Caught) -> list[dict[str, Any]]:
    return [
        {"account": getattr(it, "author", it), "post": it if hasattr(it, "author") else None}
        for it in caught.examples
    ]


@require_POST
@moderators_only
def switch(request: MemberRequest, rule_id: int) -> HttpResponse:
    rule = get_object_or_404(Rule, pk=rule_id)
    services.switch_rule(rule=rule, by=request.user, is_on="on" in request.POST)
    return redirect("moderation_rules")


@require_POST
@moderators_only
def remove(request: MemberRequest, rule_id: int) -> HttpResponse:
    rule = get_object_or_404(Rule, pk=rule_id)
    services.remove_rule(rule=rule, by=request.user)
    messages.success(request, gettext("The rule is removed: %(rule)s") % {"rule": rule})
    return redirect("moderation_rules")


@require_safe
@moderators_only
def newcomers(request: MemberRequest) -> HttpResponse:
    found = suspects(now=timezone.now(), viewer=request.user)
    context = frame(request, "newcomers") | {"suspects": found}
    return render(request, "moderation/rules/newcomers.html", context)
