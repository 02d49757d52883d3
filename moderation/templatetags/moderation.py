"""What moderation adds to pages."""

from datetime import datetime, timedelta
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

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


MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TIME = '<time datetime="{}" title="{} UTC"{}>{}</time>'


@register.simple_tag
def due(moment: datetime) -> SafeString:
    """“due in 8 min”, “3 h late”: a promise, not an age."""
    left = moment - timezone.now()
    late = left < timedelta(0)
    words = gettext("%(time)s late") if late else gettext("due in %(time)s")
    is_urgent = SafeString(' class="late"' if left < MINUTE * 10 else "")
    exact = f"{moment:%Y-%m-%d %H:%M}"
    return format_html(
        TIME, moment.isoformat(), exact, is_urgent, words % {"time": length_of(abs(left))}
    )


@register.simple_tag
def age(moment: datetime) -> SafeString:
    exact = f"{moment:%Y-%m-%d %H:%M}"
    return format_html(TIME, moment.isoformat(), exact, "", length_of(timezone.now() - moment))


@register.simple_tag
def length_of(time: timedelta) -> str:
    if time < HOUR:
        return gettext("%(count)s min") % {"count": time // MINUTE}
    if time < 2 * DAY:
        return gettext("%(count)s h") % {"count": time // HOUR}
    return gettext("%(count)s d") % {"count": time // DAY}
