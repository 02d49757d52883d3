"""What tables and columns are called in the admin, in every language.

Here and not in the models, where each word would be a migration.
"""

from typing import Any

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

Words = str | Promise

APPS: dict[str, Words] = {
    "configuration": _("The site"),
    "moderation": _("Moderation"),
    "users": _("People"),
    "statuses": _("Posts"),
    "relations": _("Relationships"),
    "lists": _("Lists"),
    "tags": _("Tags"),
    "oauth2_provider": _("Access"),
    "auth": _("Rights"),
    "staff": _("Staff"),
    "insight": _("Insight"),
    "taskqueue": _("Task queue"),
}
# By what their models call them.
COLUMNS: dict[str, Words] = {
    "account": _("account"),
    "action": _("action"),
    "address": _("address"),
    "application": _("application"),
    "asked at": _("asked at"),
    "author": _("author"),
    "bio": _("bio"),
    "boosts count": _("boosts count"),
    "category": _("category"),
    "closed with": _("closed with"),
    "confirmed at": _("confirmed at"),
    "created": _("created"),
    "created at": _("created at"),
    "date joined": _("date joined"),
    "edited at": _("edited at"),
    "expires": _("expires"),
    "expires at": _("expires at"),
    "followee": _("followee"),
    "follower": _("follower"),
    "hides boosts": _("hides boosts"),
    "is active": _("active"),
    "is private": _("is private"),
    "is sensitive": _("sensitive"),
    "is silenced": _("silenced"),
    "is staff": _("staff"),
    "kind": _("kind"),
    "language": _("language"),
    "latitude": _("latitude"),
    "leaving at": _("leaving at"),
    "likes count": _("likes count"),
    "list": _("list"),
    "longitude": _("longitude"),
    "measure": _("measure"),
    "moderator": _("moderator"),
    "moved at": _("moved at"),
    "name": _("name"),
    "owner": _("owner"),
    "parts done": _("parts done"),
    "place": _("place"),
    "reason": _("reason"),
    "replies count": _("replies count"),
    "report": _("report"),
    "reported by": _("reported by"),
    "scope": _("scope"),
    "seen at": _("seen at"),
    "size": _("size"),
    "suspended at": _("suspended at"),
    "text": _("text"),
    "the account reads why": _("the account reads why"),
    "title": _("title"),
    "user": _("user"),
    "uses": _("uses"),
    "visibility": _("visibility"),
    "warning": _("warning"),
    "words": _("words"),
    "written": _("written"),
    "email confirmed at": _("e-mail confirmed at"),
    "object id": _("number"),
    "role": _("role"),
    "when": _("when"),
    "open": pgettext_lazy("a report", "open"),
}


def in_our_order(apps: list[Any]) -> list[Any]:
    """As above: Django goes by the alphabet."""
    places = {label: place for place, label in enumerate(APPS)}
    return sorted(apps, key=lambda app: places.get(app["app_label"], len(places)))


def call(model: type[Model], words: tuple[Words, Words] | None) -> None:

    opts = model._meta
    if words:
        opts.verbose_name, opts.verbose_name_plural = words  # type: ignore[assignment] # lazy ones do
    if opts.app_label in APPS:
        opts.app_config.verbose_name = APPS[opts.app_label]  # type: ignore[assignment] # as above
    for field in opts.fields:
        if field.verbose_name in COLUMNS:
            field.verbose_name = COLUMNS[str(field.verbose_name)]  # type: ignore[assignment] # as above
