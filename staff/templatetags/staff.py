from django import template
from django.db.models import QuerySet

from users.models import User

from ..models import AuditEntry

register = template.Library()

MOST = 10


@register.simple_tag
def own_changes(user: User) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(by_username=user.username).order_by("-at", "-id")[:MOST]
