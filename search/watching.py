"""Compares new posts with the searches that notify.

A post is looked at once, when nothing older can come any more; so one that is edited meanwhile is
as it says now. What it costs depends on the searches that have one of its terms as an anchor, not
on how many there are.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils import timezone

from redistools.chunks import chunks
from redistools.client import get_client
from redistools.ids import first_id_at
from redistools.scripts import Batch
from relations.blocks_and_mutes import viewpoint
from relations.blocks_and_mutes.muted_words import SHOW
from relations.blocks_and_mutes.viewpoint import this_moment
from statuses import store
from statuses.models import Status
from statuses.reading.shown import ShownStatus
from statuses.stored import StoredStatus
from statuses.visibility.predicate import VisibilityContext, may_see, reader_of
from statuses.visibility.rules import FeedRules
from users.standing import suspension
from web.refusals import Refusal

from .events import found_for_searches
from .index.feeding import UNSETTLED
from .index.writing import findable
from .live_searches import Searches, followed_by
from .models import SavedSearch, SearchAnchor, Watched

# Posts of one transaction, and terms or readers of one look-up.
POSTS, SOME = 100, 500

Found = dict[SavedSearch, list[StoredStatus]]


def watch(*, settled: int | None = None) -> bool:
    """Looks at the next posts; returns whether there may be more. Running it twice changes nothing.

    Without searches that notify, two short queries. `settled`: the newest id to look at.
    """
    if settled is None:
        settled = first_id_at(timezone.now() - UNSETTLED)
    begun, _ = Watched.objects.get_or_create(pk=1, defaults={"up_to": settled})
    posts = _posts(begun.up_to, settled) if SearchAnchor.objects.exists() else []
    reached = posts[-1].id if len(posts) == POSTS else settled
    _note(begun.up_to, reached, _newest_for(_heard(_fitting(posts))))
    return len(posts) == POSTS


def _posts(above: int, up_to: int) -> list[StoredStatus]:
    rows = findable(Status.objects.listed()).filter(pk__gt=above, pk__lte=up_to)
    return store.render(list(rows.with_names().order_by("pk")[:POSTS]))


def _fitting(posts: Sequence[StoredStatus]) -> Found:
    found: Found = defaultdict(list)
    cuts = [(post, Searches().cut(post)) for post in posts]
    by_term = _searches({term for _, cut in cuts for term in cut.anchors})
    for post, cut in cuts:
        near = {it for term in cut.anchors & by_term.keys() for it in by_term[term]}
        for search in near:
            if search.user_id != post.author_id and _fits(search, cut.document):
                found[search].append(post)
    return found


def _searches(terms: Collection[str]) -> dict[str, set[SavedSearch]]:
    found = defaultdict[str, set[SavedSearch]](set)
    for some in chunks(sorted(terms), SOME):
        for anchor in SearchAnchor.objects.filter(term__in=some).select_related("search__user"):
            found[anchor.term].add(anchor.search)
    return found


def _fits(search: SavedSearch, document: Sequence[tuple[str, ...]]) -> bool:
    try:
        return followed_by(search).fits(document)
    except Refusal:
        return False  # it was saved under other rules


def _heard(found: Found) -> Found:
    """What comes up for the owners of the searches."""
    readers = _readers({search.user_id for search in found})
    now = this_moment()
    return {
        search: [post for post in posts if _comes_up(post, readers[search.user_id], now)]
        for search, posts in found.items()
    }


def _comes_up(post: StoredStatus, reader: VisibilityContext, now: int) -> bool:
    shown = ShownStatus(post.id, post)
    return may_see(reader, post) and FeedRules().action(shown, reader, now) == SHOW


def _readers(user_ids: Collection[int]) -> dict[int, VisibilityContext]:
    """One round trip for each 500."""
    found = {}
    for some in chunks(sorted(user_ids), SOME):
        batch = Batch(get_client())
        batch.add(*suspension.version_command())
        for user_id in some:
            batch.add(*viewpoint.command(user_id))
        version, *texts = batch.run()
        for user_id, text in zip(some, texts, strict=True):
            found[user_id] = reader_of(user_id, version, text)
    return found


def _newest_for(found: Found) -> dict[SavedSearch, int]:
    return {search: posts[-1].id for search, posts in found.items() if posts}


@transaction.atomic
def _note(begun: int, reached: int, newest: dict[SavedSearch, int]) -> None:
    """Does nothing if another has been quicker."""
    if not Watched.objects.filter(pk=1, up_to=begun).update(up_to=reached):
        return
    changed = [
        (search.user_id, search.pk)
        for search, status_id in newest.items()
        if SavedSearch.objects.filter(pk=search.pk, newest__lt=status_id).update(newest=status_id)
    ]
    if changed:
        found_for_searches(changed)
