"""What a home holds but does not show its reader.

A home in Redis depends on SQL alone. These depend on the reader and the moment, so they are decided
when it is read: what `statuses.visibility.rules.HomeRules` hide, and what the reader has just seen
(`home_paging.py`).
"""

from collections.abc import Collection, Iterable, Mapping

from relations.blocks_and_mutes.muted_words import HIDE
from relations.blocks_and_mutes.viewpoint import this_moment, viewpoint_in_sql
from relations.models import Follow
from statuses.models import Status
from statuses.reading.summaries import StatusSummary, SummarizedEntry, summaries_in_sql
from statuses.visibility.predicate import VisibilityContext
from statuses.visibility.rules import HomeRules
from users.models import User


def hidden(
    entries: Iterable[StatusSummary],
    originals: Mapping[int, StatusSummary],
    reader: VisibilityContext,
) -> frozenset[int]:
    """A boost whose original is missing is not judged."""
    rules, now, found = HomeRules(), this_moment(), set[int]()
    for it in entries:
        said = originals.get(it.boost_of) if it.boost_of else it
        entry = SummarizedEntry(said, it if it.boost_of else None) if said else None
        if entry and rules.action(entry, reader, now) == HIDE:
            found.add(it.id)
    return frozenset(found)


def hidden_in_sql(viewer: User, status_ids: Collection[int]) -> set[int]:
    """Which of very many entries need not be read: the viewer may not see them, or `HomeRules` hide
    them. Nine queries.
    """
    rows = Status.objects.filter(pk__in=status_ids)
    visible = summaries_in_sql(rows.visible_to(viewer))
    boosted = {it.boost_of for it in visible.values() if it.boost_of}
    originals = summaries_in_sql(Status.objects.filter(pk__in=boosted))
    reader = VisibilityContext(viewer.pk, viewpoint_in_sql(viewer.pk), followed=_followed(viewer))
    unseen = {*rows.values_list("pk", flat=True)} - visible.keys()
    return unseen | hidden(visible.values(), originals, reader)


def _followed(viewer: User) -> set[int]:
    return {*Follow.objects.filter(follower=viewer).values_list("followee_id", flat=True)}
