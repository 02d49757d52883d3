"""What pages should show, from SQL alone and as plainly as possible: no limits, no Redis, and none
of the code that decides it for the site.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from lists.models import ListMember
from relations.models import Block, Follow, Mute, MutedWord, ThreadMute
from statuses.models import Bookmark, Gap, Like, Status
from statuses.reactions.store import ReaderMarks
from statuses.reading.shown import ShownStatus
from statuses.store import render
from statuses.stored import Counts, StoredStatus
from tags.models import TagFollow
from timelines.reading import home_paging
from users.audience import Visibility
from users.models import User

Reader = int | None
"""The id of an account; None for a visitor."""

Pairs = set[tuple[int, int]]


class Line(NamedTuple):
    """One line of a thread."""

    kind: str
    id: int
    depth: int = 0


class Record:
    """Everything that SQL says, read once."""

    def __init__(self) -> None:
        now = timezone.now()
        lasting = Q(until=None) | Q(until__gt=now)
        self.users = User.objects.in_bulk()
        self.rows = {it.pk: it for it in Status.objects.with_names().order_by("-pk")}
        self.gaps = dict(Gap.objects.values_list("pk", "reply_to_id"))
        self.follows: Pairs = _pairs(Follow.objects.values_list("follower_id", "followee_id"))
        self.boosts_hidden: Pairs = _pairs(
            Follow.objects.filter(hides_boosts=True).values_list("follower_id", "followee_id")
        )
        self.blocks: Pairs = _pairs(Block.objects.values_list("blocker_id", "blocked_id"))
        self.mutes: Pairs = _pairs(Mute.objects.filter(lasting).values_list("user_id", "muted_id"))
        self.muted_threads: Pairs = _pairs(
            ThreadMute.objects.filter(lasting).values_list("user_id", "thread")
        )
        hiding = MutedWord.objects.filter(lasting, action=MutedWord.Action.HIDE)
        phrases = hiding.values_list("user_id", "phrase")
        self.muted_words = {(user_id, phrase.lower()) for user_id, phrase in phrases}
        self.followed_tags = set(TagFollow.objects.values_list("user_id", "tag__name"))
        self.listed: Pairs = _pairs(ListMember.objects.values_list("list_id", "user_id"))
        self.likes = list(Like.objects.order_by("-pk").values_list("user_id", "status_id"))
        self.bookmarks = list(Bookmark.objects.order_by("-pk").values_list("user_id", "status_id"))

    # Who may see what ---------------------------------------------------------------------

    def may_see(self, reader: Reader, row: Status) -> bool:
        """What a status says itself; see `is_visible` for boosts."""
        author = self.users[row.author_id]
        if not author.is_active:
            return False
        if reader == author.pk:
            return True
        if {(reader, author.pk), (author.pk, reader)} & self.blocks:
            return False
        if self._is_for_everybody(row, author) or reader in self.people(row):
            return True
        return row.visibility != Visibility.MENTIONED and (reader, author.pk) in self.follows

    def _is_for_everybody(self, row: Status, author: User) -> bool:
        is_open = row.visibility in (Visibility.PUBLIC, Visibility.UNLISTED)
        return is_open and not author.is_private and not author.is_silenced

    def people(self, row: Status) -> set[int]:
        """Whom it names or answers, without its author."""
        names = set(row.text.lower().split())
        named = {user.pk for user in self.users.values() if f"@{user.username}" in names}
        answered = {user for user in self.users if user == row.reply_to_author_id}
        return (named | answered) - {row.author_id}

    def is_visible(self, reader: Reader, row: Status) -> bool:
        """A boost is nothing without what it boosts."""
        said = self._said(row)
        return bool(said) and self.may_see(reader, row) and self.may_see(reader, said or row)

    def _said(self, row: Status) -> Status | None:
        """Of a boost, its original."""
        return row if row.boost_of_id is None else self.rows.get(row.boost_of_id)

    # What is kept from a reader who may see it --------------------------------------------

    def is_muted(self, reader: Reader, row: Status, *, on_thread_page: bool = False) -> bool:
        """One's own posts are always shown; but not that somebody muted boosts them. Who opens the
        page of a thread that they muted wants to read it.
        """
        said = self._said(row)
        if reader is None or said is None:
            return False
        if {(reader, row.author_id), (reader, said.author_id)} & self.mutes:
            return True
        if said.author_id == reader:
            return False
        if not on_thread_page and (reader, said.thread_id or said.pk) in self.muted_threads:
            return True
        words = re.findall(r"\w+", said.text.lower())
        return any((reader, word) in self.muted_words for word in words)

    def is_kept_out_of_home(self, reader: int, row: Status) -> bool:
        """A boost that is not wanted, or a reply to a stranger."""
        if row.boost_of_id is not None:
            return (reader, row.author_id) in self.boosts_hidden
        answered = row.reply_to_author_id
        if row.reply_to_id is None or reader == row.author_id:
            return False
        followed = answered is not None and (reader, answered) in self.follows
        return not followed and answered not in (reader, row.author_id)

    # Pages --------------------------------------------------------------------------------

    def home(self, reader: int) -> list[int]:
        """Nothing is shown twice within a short way."""
        seen: list[int | None] = []
        shown: list[int] = []
        for row in self._timelines(lambda it: self._comes_home(reader, it)):
            said = row.boost_of_id or row.pk
            is_shown = self._comes_up(reader, row) and not self.is_kept_out_of_home(reader, row)
            if is_shown and said not in seen[max(0, len(seen) - home_paging.NEAR) :]:
                shown.append(row.pk)
            seen.append(said if is_shown else None)
        return shown

    def _comes_home(self, reader: int, row: Status) -> bool:
        by_author = row.author_id == reader or (reader, row.author_id) in self.follows
        return by_author or any((reader, tag) in self.followed_tags for tag in _tags(row))

    def profile(self, reader: Reader, author: int, *, replies: bool) -> list[int]:
        """Mutes don't count: who opens a profile wants to read it."""

        def is_there(row: Status) -> bool:
            to_others = row.reply_to_id and row.reply_to_author_id != author
            return row.author_id == author and (replies or not to_others)

        return [it.pk for it in self._timelines(is_there) if self.is_visible(reader, it)]

    def list_timeline(self, reader: Reader, list_id: int) -> list[int]:
        rows = self._timelines(lambda it: (list_id, it.author_id) in self.listed)
        return [it.pk for it in rows if self._comes_up(reader, it)]

    def tag_timeline(self, reader: Reader, tag: str) -> list[int]:
        rows = self._timelines(lambda it: tag in _tags(it))
        return [it.pk for it in rows if self._comes_up(reader, it)]

    def newest(self, reader: Reader) -> list[int]:
        """What is said in public by those whom everybody may see, even for themselves."""

        def is_there(row: Status) -> bool:
            is_public = row.visibility == Visibility.PUBLIC
            is_open = self._is_for_everybody(row, self.users[row.author_id])
            return is_public and is_open and row.reply_to_id is None and row.boost_of_id is None

        return [it.pk for it in self._timelines(is_there) if self._comes_up(reader, it)]

    def mentions(self, reader: int) -> list[int]:
        rows = [it for it in self.rows.values() if reader in self.people(it)]
        return [it.pk for it in rows if self._comes_up(reader, it)]

    def liked(self, reader: Reader, user: int) -> list[int]:
        return self._done(reader, user, self.likes)

    def bookmarked(self, reader: int) -> list[int]:
        return self._done(reader, reader, self.bookmarks)

    def _done(self, reader: Reader, user: int, reactions: Iterable[tuple[int, int]]) -> list[int]:
        ids = [status_id for who, status_id in reactions if who == user and status_id in self.rows]
        return [it for it in ids if self.is_visible(reader, self.rows[it])]

    def _timelines(self, is_there: Callable[[Status], bool]) -> list[Status]:
        """The newest first. What is only for the people it mentions is in none of them."""
        rows = [it for it in self.rows.values() if it.visibility != Visibility.MENTIONED]
        return [it for it in rows if is_there(it)]

    def _comes_up(self, reader: Reader, row: Status) -> bool:
        return self.is_visible(reader, row) and not self.is_muted(reader, row)

    # Threads ------------------------------------------------------------------------------

    def thread(self, reader: Reader, status_id: int) -> tuple[list[Line], list[Line]]:
        """What stands above a status, and below it."""
        above: list[Line] = []
        parent = self.rows[status_id].reply_to_id
        while parent:
            above.insert(0, self._line(reader, parent))
            parent = self.gaps.get(parent) or self._answered(parent)
        return above, list(self._below(reader, status_id))

    def _answered(self, status_id: int) -> int | None:
        return self.rows[status_id].reply_to_id if status_id in self.rows else None

    def _line(self, reader: Reader, status_id: int, depth: int = 0) -> Line:
        row = self.rows.get(status_id)
        if row is None:
            return Line("gap", status_id, depth)
        is_muted = self.is_muted(reader, row, on_thread_page=True)
        is_shown = self.is_visible(reader, row) and not is_muted
        return Line("status" if is_shown else "hidden", status_id, depth)

    def _below(self, reader: Reader, status_id: int, depth: int = 0) -> Iterator[Line]:
        """What can't be shown stands only where something below it can."""
        replies = [it.pk for it in self.rows.values() if it.reply_to_id == status_id]
        replies += [gap for gap, answered in self.gaps.items() if answered == status_id]
        for reply in sorted(replies):
            line, rest = (
                self._line(reader, reply, depth),
                list(self._below(reader, reply, depth + 1)),
            )
            if line.kind == "status" or rest:
                yield from (line, *rest)

    # What a page shows of each ------------------------------------------------------------

    def shown(self, reader: Reader) -> list[ShownStatus]:
        """All that the reader may see, with counters and what they have done."""
        rows = self.rows.values()
        stored = {it.id: it for it in render(list(rows))}
        likes = Counter(status_id for _, status_id in self.likes)
        boosts = Counter(row.boost_of_id for row in rows)
        replies = Counter(row.reply_to_id for row in rows)
        entries: list[ShownStatus] = []
        for row in rows:
            said = self._said(row)
            if said and self.is_visible(reader, row):
                counts = Counts(likes[said.pk], boosts[said.pk], replies[said.pk])
                counts = counts._replace(version=said.counts_version)
                text = self._without_links(reader, stored[said.pk])
                boost = stored[row.pk] if row.boost_of_id else None
                marks = self._marks(reader, said.pk)
                entries.append(ShownStatus(row.pk, text, counts, marks, boost))
        return entries

    def _without_links(self, reader: Reader, status: StoredStatus) -> StoredStatus:
        """People whom the reader can't see are named, but not linked."""
        found = [
            replace(it, account=None) if it.account and self._is_out(reader, it.account.id) else it
            for it in status.found
        ]
        if status.reply_to_author and self._is_out(reader, status.reply_to_author):
            status = status._replace(reply_to_username="")
        return status.with_entities(found)

    def _is_out(self, reader: Reader, user: int) -> bool:
        is_gone = user not in self.users or not self.users[user].is_active
        return is_gone or bool({(reader, user), (user, reader)} & self.blocks)

    def _marks(self, reader: Reader, status_id: int) -> ReaderMarks:
        return ReaderMarks(
            liked=(reader, status_id) in self.likes,
            boosted=any(
                row.author_id == reader and row.boost_of_id == status_id
                for row in self.rows.values()
            ),
            bookmarked=(reader, status_id) in self.bookmarks,
        )


def _pairs(rows: Iterable[tuple[int, int]]) -> Pairs:
    return set(rows)


def _tags(row: Status) -> set[str]:
    """Only what is public is found by its tags."""
    if row.visibility != Visibility.PUBLIC:
        return set()
    return {word[1:] for word in row.text.lower().split() if word.startswith("#")}
