"""Pages as their readers get them, beside what `oracle.py` says of them."""

from collections.abc import Callable, Iterator
from functools import partial

from explore.selectors import newest
from lists.models import List
from statuses.reading.shown import ShownStatus, StatusPage
from statuses.selectors import show
from statuses.threads.page import ThreadEntry, read_thread
from tags.models import Tag
from tests.statuses.trees import kind_of
from tests.timelines.oracle import Line, Record
from timelines import selectors
from timelines.reading import reaction_timelines
from users.models import User

# How many statuses of each reader have their threads looked at.
THREADS = 2


def read_everything(turn: int) -> None:
    """Page by page, SQL and Redis together give what SQL alone would.

    All members read what is their own. What everybody can open is read by a visitor, and by two
    members whose turn it is.
    """
    record = Record()
    members = [user for user in record.users.values() if user.is_active]
    for member in members:
        _read_own(record, member)
        _read_statuses(record, member)
    _read_statuses(record, None)
    for reader in (None, *_some(members, turn)):
        _read_profiles(record, reader)
        _read_collections(record, reader)
        _read_threads(record, reader, turn)


def _some(members: list[User], turn: int) -> list[User]:
    """Two of them, or as many as there are."""
    return [members[(turn + it) % len(members)] for it in range(min(2, len(members)))]


def _read_own(record: Record, member: User) -> None:
    assert _walk(partial(selectors.home, member), 3) == record.home(member.pk)
    assert _walk(partial(selectors.mentions, member), 3) == record.mentions(member.pk)
    assert _walk_reactions(partial(reaction_timelines.bookmarked, member)) == record.bookmarked(
        member.pk
    )


def _read_statuses(record: Record, reader: User | None) -> None:
    shown = show(list(record.rows), viewer=reader)
    assert shown.gone == []
    expected = record.shown(_id(reader))
    assert [_seen(it) for it in shown.statuses] == [_seen(it) for it in expected]


def _seen(entry: ShownStatus) -> tuple[object, ...]:
    return entry.id, entry.status, entry.counts, entry.marks, entry.boost


def _read_profiles(record: Record, reader: User | None) -> None:
    for user in record.users.values():
        posts, everything = (
            _walk(partial(read, user, viewer=reader))
            for read in (selectors.profile, selectors.with_replies)
        )
        assert posts == record.profile(_id(reader), user.pk, replies=False)
        assert everything == record.profile(_id(reader), user.pk, replies=True)
        likes = _walk_reactions(partial(reaction_timelines.liked, user, viewer=reader))
        assert likes == record.liked(_id(reader), user.pk)


def _read_collections(record: Record, reader: User | None) -> None:
    for tag in Tag.objects.all():
        timeline = partial(selectors.tag_timeline, tag, viewer=reader)
        assert _walk(timeline) == record.tag_timeline(_id(reader), tag.name)
    for list_ in List.objects.all():
        timeline = partial(selectors.list_timeline, list_, viewer=reader)
        assert _walk(timeline) == record.list_timeline(_id(reader), list_.pk)
    assert _walk(partial(newest, reader)) == record.newest(_id(reader))


def _read_threads(record: Record, reader: User | None, turn: int) -> None:
    """Those with the most to show: what was answered, or answers something. And one of those that
    the reader has muted.
    """
    shown = show(list(record.rows), viewer=reader).statuses
    talks = [it for it in shown if not it.boost and (it.counts.replies or it.status.reply_to)]
    muted = [it for it in talks if it.is_thread_muted]
    for focus in (*talks[turn % 2 :: 2][:THREADS], *muted[-1:]):
        thread = read_thread(focus, viewer=reader)
        above, below = record.thread(_id(reader), focus.id)
        assert list(_lines(thread.ancestors)) == above
        assert list(_lines(thread.replies)) == below


def _lines(entries: list[ThreadEntry]) -> Iterator[Line]:
    for entry in entries:
        yield Line(kind_of(entry), entry.id, entry.depth)


def _walk(read: Callable[..., list[ShownStatus]], limit: int = 5) -> list[int]:
    """Page by page, as a reader would."""
    ids: list[int] = []
    while page := read(limit=limit, max_id=ids[-1] if ids else None):
        ids += [status.id for status in page]
    return ids


def _walk_reactions(read: Callable[..., StatusPage]) -> list[int]:
    page = read()
    ids = [status.id for status in page.entries]
    while page.older is not None:
        page = read(max_id=page.older)
        ids += [status.id for status in page.entries]
    return ids


def _id(reader: User | None) -> int | None:
    return reader.pk if reader else None
