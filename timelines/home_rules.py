"""What a home holds but does not show its reader.

A home in Redis depends on SQL alone. These depend on the reader and the moment, so they are decided
when it is read: what `statuses.seeing.rules.HomeRules` hide, here in SQL too, and what the reader
has just seen.
"""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import F, Q
from django.utils import timezone

from relations.models import Follow, Mute
from statuses.models import Status
from statuses.shown import ShownStatus
from users.models import User

# A status is not shown again this close below itself, no matter who boosted it.
NEAR = 40


def hidden_in_sql(viewer: User, status_ids: Collection[int]) -> set[int]:
    """Which of them the viewer may not see, or `HomeRules` hide. Two queries. Of boosts, only what
    the boost itself tells.
    """
    rows = Status.objects.filter(pk__in=status_ids)
    shown = rows.visible_to(viewer).exclude(_unwanted(viewer))
    ids = rows.values_list("pk", flat=True)
    return {*ids} - {*shown.values_list("pk", flat=True)}


def _unwanted(viewer: User) -> Q:
    follows = Follow.objects.filter(follower=viewer)
    known = Q(reply_to_author_id__in=follows.values("followee_id"))
    known |= Q(reply_to_author=viewer) | Q(reply_to_author=F("author"))
    strange = Q(reply_to__isnull=False) & ~known & ~Q(author=viewer)
    unwanted = follows.filter(hides_boosts=True).values("followee_id")
    boosts = Q(boost_of__isnull=False, author_id__in=unwanted)
    mutes = Mute.objects.filter(Q(until=None) | Q(until__gt=timezone.now()), user=viewer)
    return strange | boosts | Q(author_id__in=mutes.values("muted_id"))


def without_repeats(
    entry_ids: Sequence[int], shown: Mapping[int, ShownStatus]
) -> list[ShownStatus]:
    """Of the entries of a home, the newest first, those whose status is not right above already."""
    last: dict[int, int] = {}
    kept: list[ShownStatus] = []
    for place, entry_id in enumerate(entry_ids):
        if entry_id not in shown:
            continue
        entry = shown[entry_id]
        if place - last.get(entry.status.id, -NEAR - 1) > NEAR:
            kept.append(entry)
        last[entry.status.id] = place
    return kept
