"""Searches that people keep: saved ones, and the newest few they have made."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from users.models import User
from users.rows import lock_account
from users.throttling import throttled
from web.refusals import Refusal

from .models import LONGEST_QUERY, RecentSearch, SavedSearch
from .query.meaning import meaning_of
from .query.parsing import parse

MOST_SAVED = 50
MOST_RECENT = 10


@throttled("search", by="user")
def save_search(*, user: User, query: str) -> SavedSearch:
    """The one that is there if it is saved already. Raises Refusal, and BadQuery."""
    read = parse(query)
    meaning_of(read, viewer=user)
    written = str(read)
    if len(written) > LONGEST_QUERY:
        raise Refusal(gettext("This search is too long to be saved."), code="limit")
    with transaction.atomic():
        lock_account(user)
        if found := user.saved_searches.filter(query=written).first():
            return found
        if user.saved_searches.count() >= MOST_SAVED:
            words = gettext("You have saved %(most)s searches, the maximum.") % {"most": MOST_SAVED}
            raise Refusal(words, code="limit")
        return user.saved_searches.create(query=written)


@throttled("search", by="search.user_id")
def rename_search(*, search: SavedSearch, name: str) -> None:
    """Without a name, it is called by its query."""
    SavedSearch.objects.filter(pk=search.pk).update(name=name.strip())


@throttled("search", by="search.user_id")
def delete_search(*, search: SavedSearch) -> None:
    SavedSearch.objects.filter(pk=search.pk).delete()


def remember(*, user_id: int, query: str, at: datetime) -> None:
    """Running it twice changes nothing. Not throttled: searches are."""
    if not User.objects.filter(pk=user_id).exists():
        return
    mine = RecentSearch.objects.filter(user_id=user_id)
    if not mine.filter(query=query, searched_at__gte=at).exists():
        try:
            mine.update_or_create(user_id=user_id, query=query, defaults={"searched_at": at})
        except IntegrityError:
            return  # the account has gone
    newest = mine.order_by("-searched_at", "-pk").values_list("pk", flat=True)[:MOST_RECENT]
    mine.exclude(pk__in=list(newest)).delete()


@throttled("search", by="user")
def forget_searches(*, user: User, query: str = "") -> None:
    """All recent ones, or this one."""
    mine = user.recent_searches.all()
    (mine.filter(query=query) if query else mine).delete()
