"""Searches that somebody keeps, for the export of an account's data."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from users.export.register import Row, exports, walk
from users.models import User

from .models import RecentSearch, SavedSearch


@exports("saved_searches", title=_("Saved searches"), covers=["search.SavedSearch.user"])
def saved_searches(user: User) -> Iterator[Row]:
    for it in walk(SavedSearch.objects.filter(user=user)):
        yield {"query": it.query, "name": it.name, "since": it.created_at, "notifies": it.notifies}


@exports("recent_searches", title=_("Recent searches"), covers=["search.RecentSearch.user"])
def recent_searches(user: User) -> Iterator[Row]:
    for it in walk(RecentSearch.objects.filter(user=user)):
        yield {"query": it.query, "searched_at": it.searched_at}
