"""What pages should show, from SQL alone and as plainly as possible: no limits, no Redis."""

from collections import Counter

from django.db.models import Q

from relations.models import Follow
from statuses.counts import Counts
from statuses.models import Bookmark, Like, Status, TagFollow, Tagging
from statuses.own import Mine
from statuses.selectors import Shown
from statuses.shown import ShownStatus
from statuses.store import render
from timelines import home_rules


def home(user_id: int) -> list[int]:
    """The entries that the reader sees, the newest first."""
    follows = dict(
        Follow.objects.filter(follower_id=user_id).values_list("followee_id", "hides_boosts")
    )
    tags = TagFollow.objects.filter(user_id=user_id).values("tag_id")
    tagged = Tagging.objects.filter(tag_id__in=tags).values("status_id")
    wanted = Q(author_id__in=[*follows, user_id]) | Q(pk__in=tagged)
    rows = Status.objects.filter(wanted).order_by("-id")
    existing = set(Status.objects.values_list("id", flat=True))
    entries = list(rows)
    places = [row.boost_of_id or row.pk for row in entries]
    seen: list[int | None] = []
    shown: list[int] = []
    for row, said in zip(entries, places, strict=True):
        visible = said in existing and not _is_hidden(row, user_id, follows)
        if visible and said not in seen[max(0, len(seen) - home_rules.NEAR) :]:
            shown.append(row.pk)
        seen.append(said if visible else None)
    return shown


def _is_hidden(row: Status, user_id: int, follows: dict[int, bool]) -> bool:
    if row.author_id == user_id:
        return False
    if row.boost_of_id is not None:
        return follows[row.author_id]
    answered = row.reply_to_author_id
    return row.reply_to_id is not None and answered not in {*follows, user_id, row.author_id}


def shown(user_id: int, status_ids: list[int]) -> Shown:
    """Each status with its counters and what the reader has done with it."""
    rows = {row.pk: row for row in Status.objects.with_names()}
    stored = dict(zip(rows, render(rows.values()), strict=True))
    likes = Counter(Like.objects.values_list("status_id", flat=True))
    boosts = Counter(row.boost_of_id for row in rows.values() if row.boost_of_id)
    replies = Counter(row.reply_to_id for row in rows.values() if row.reply_to_id)

    def entry(status_id: int) -> ShownStatus | None:
        boost = stored[status_id] if rows[status_id].boost_of_id else None
        said = rows.get(rows[status_id].boost_of_id or status_id)
        if said is None:
            return None
        counts = Counts(likes[said.pk], boosts[said.pk], replies[said.pk], said.counts_version)
        return ShownStatus(status_id, stored[said.pk], counts, _mine(user_id, said.pk), boost)

    entries = [entry(status_id) for status_id in status_ids]
    return Shown([it for it in entries if it], [])


def _mine(user_id: int, status_id: int) -> Mine:
    return Mine(
        liked=Like.objects.filter(user_id=user_id, status_id=status_id).exists(),
        boosted=Status.objects.filter(author_id=user_id, boost_of_id=status_id).exists(),
        bookmarked=Bookmark.objects.filter(user_id=user_id, status_id=status_id).exists(),
    )
