"""What tables and columns are called in the admin, in every language.

Here and not in the models, where each word would be a migration.
"""

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise

APPS: dict[str, Words] = {
    "users": _("People"),
    "auth": _("Rights"),
    "oauth2_provider": _("Access"),
    "relations": _("Relationships"),
    "tags": _("Tags"),
    "statuses": _("Posts"),
    "lists": _("Lists"),
    "moderation": _("Moderation"),
    "taskqueue": _("Task queue"),
}
# In English as Django makes them of the names, so that no form of the site changes.
COLUMNS: dict[str, Words] = {
    "account": _("account"),
    "address": _("address"),
    "application": _("application"),
    "asked_at": _("asked at"),
    "bio": _("bio"),
    "boosts_count": _("boosts count"),
    "category": _("category"),
    "closed_with": _("closed with"),
    "confirmed_at": _("confirmed at"),
    "created": _("created"),
    "created_at": _("created at"),
    "date_joined": _("date joined"),
    "edited_at": _("edited at"),
    "email_confirmed_at": _("email confirmed at"),
    "expires": _("expires"),
    "expires_at": _("expires at"),
    "followee": _("followee"),
    "follower": _("follower"),
    "hides_boosts": _("hides boosts"),
    "is_active": _("is active"),
    "is_private": _("is private"),
    "is_sensitive": _("is sensitive"),
    "is_silenced": _("is silenced"),
    "is_staff": _("is staff"),
    "kind": _("kind"),
    "language": _("language"),
    "latitude": _("latitude"),
    "leaving_at": _("leaving at"),
    "likes_count": _("likes count"),
    "list": _("list"),
    "longitude": _("longitude"),
    "moved_at": _("moved at"),
    "name": _("name"),
    "owner": _("owner"),
    "parts_done": _("parts done"),
    "reason": _("reason"),
    "replies_count": _("replies count"),
    "report": _("report"),
    "scope": _("scope"),
    "seen_at": _("seen at"),
    "size": _("size"),
    "suspended_at": _("suspended at"),
    "text": _("text"),
    "user": _("user"),
    "uses": _("uses"),
    "visibility": _("visibility"),
    "warning": _("warning"),
    "words": _("words"),
    "written": _("written"),
    "author": _("author"),
}


def call(model: type[Model], words: tuple[Words, Words] | None) -> None:
    """Tables by their words; columns by those above, unless their model says more."""
    opts = model._meta
    if words:
        opts.verbose_name, opts.verbose_name_plural = words  # type: ignore[assignment] # lazy ones do
    if opts.app_label in APPS:
        opts.app_config.verbose_name = APPS[opts.app_label]  # type: ignore[assignment] # as above
    for field in opts.fields:
        if field.verbose_name == field.name.replace("_", " ") and field.name in COLUMNS:
            field.verbose_name = COLUMNS[field.name]  # type: ignore[assignment] # as above
