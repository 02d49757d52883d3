"""What moderation adds to pages."""

from typing import Any

from django import template

from statuses.selectors import moderates
from users.models import User

from ..selectors import unread_warnings

register = template.Library()


@register.inclusion_tag("moderation/_warnings.html", takes_context=True)
def account_warnings(context: template.Context) -> dict[str, Any]:
    request = context["request"]
    return {
        "warnings": unread_warnings(request.user),
        "csrf_token": context["csrf_token"],
        "back": request.get_full_path(),
    }


@register.inclusion_tag("moderation/_account_links.html", takes_context=True)
def moderation_links(context: template.Context, account: User) -> dict[str, Any]:
    user = context["user"]
    is_other = user.is_authenticated and user.pk != account.pk
    return {
        "account": account,
        "may_report": is_other,
        "may_moderate": is_other and moderates(user),
    }
