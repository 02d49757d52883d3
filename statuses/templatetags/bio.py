"""`{{ account.bio|linked }}`: what people say about themselves, as HTML."""

from django import template
from django.utils.safestring import SafeString

from users.rows import named

from ..words.entities import Mentioned, find_entities, mentioned_names, to_html, with_accounts

register = template.Library()


@register.filter
def linked(bio: str) -> SafeString:
    """Escaped, with links, tags and mentions that lead somewhere. One query if it names anybody."""
    entities = find_entities(bio)
    accounts = {
        user.username.lower(): Mentioned(user.pk, user.username, user.get_full_name())
        for user in named(mentioned_names(entities))
        if user.is_active
    }
    return SafeString(to_html(bio, with_accounts(entities, accounts)))
