"""Searches that people keep: saved ones, and the newest few they have made."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from users.models import User
from users.rows import lock_account
from users.throttling import throttled
from web.refusals import Refusal

from .events import found_for_searches
from .live_searches import followed_by
from .models import LONGEST_QUERY, RecentSearch, SavedSearch, SearchAnchor
from .query.meaning import meaning_of
from .query.parsing import parse

MOST_SAVED = 50
MOST_RECENT = 10
MOST_NOTIFYING = 20


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
    with transaction.atomic():
        SavedSearch.objects.filter(pk=search.pk).delete()
        found_for_searches([(search.user_id, search.pk)])


@throttled("search", by="search.user_id")
def notify_of_search(*, search: SavedSearch, wanted: bool) -> None:
    """From now on, or no longer. Raises Refusal, also for what can't be live."""
    followed = followed_by(search) if wanted else None
    with transaction.atomic():
        lock_account(search.user)
        others = search.user.saved_searches.filter(notifies=True).exclude(pk=search.pk)
        if wanted and others.count() >= MOST_NOTIFYING:
            words = gettext("%(most)s searches notify you, the maximum.") % {"most": MOST_NOTIFYING}
            raise Refusal(words, code="limit")
        SearchAnchor.objects.filter(search_id=search.pk).delete()
        kept = SavedSearch.objects.filter(pk=search.pk).update(notifies=wanted)
        if kept and followed:
            anchors = [SearchAnchor(search_id=search.pk, term=it) for it in followed.anchors]
            SearchAnchor.objects.bulk_create(anchors)


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
