"""What the pages of chats show: names, faces, days, runs of one author, answers, reactions."""

from collections.abc import Collection, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from relations.blocks_and_mutes.viewpoint import viewpoint_of
from statuses.html.rendering import age_in
from statuses.reading.shown import ShownStatus
from statuses.selectors import show
from statuses.words.entities import (
    Mentioned,
    find_entities,
    mentioned_names,
    to_html,
    with_accounts,
)
from users.models import User
from users.rows import NAMES, named
from users.selectors import people
from users.standing.suspension import suspended_ids
from users.store import Person

from .models import Member, Message
from .selectors import ListedChat, as_read_by, hidden_from, other_in
from .services import CHANGEABLE
from .stored import StoredMessage, stored


class Reacted(NamedTuple):
    emoji: str
    total: int
    is_mine: bool


class Answered(NamedTuple):
    id: int
    person: Person | None
    text: str


class Line(NamedTuple):
    message: StoredMessage
    person: Person | None  # None: the account is deleted
    html: SafeString
    is_mine: bool
    starts: bool  # the first of a run by one author
    ends: bool
    day: date | None  # that begins with it
    is_first_unread: bool
    answered: Answered | None
    shared: ShownStatus | None  # a post that the viewer may see
    reactions: list[Reacted]
    is_folded: bool  # by somebody who is blocked
    may_change: bool


class Row(NamedTuple):
    """A chat in a list."""

    listed: ListedChat
    person: Person | None  # the other, in a chat of two
    title: str
    words: str
    author: str  # who said that; empty if it is clear
    is_mine: bool
    age: str


def rows(viewer: User, listed: Sequence[ListedChat]) -> list[Row]:
    """One round trip."""
    known = people(
        {it.other_id for it in listed if it.other_id}
        | {it.newest.author_id for it in listed if it.newest}
    )
    out = _kept_away(viewer)
    return [_row(viewer, it, known, out) for it in listed]


def _row(viewer: User, it: ListedChat, known: dict[int, Person], out: Collection[int]) -> Row:
    newest, person = it.newest, known.get(it.other_id or 0)
    author = known.get(newest.author_id) if newest and it.other_id is None else None
    is_mine = newest is not None and newest.author_id == viewer.pk
    return Row(
        listed=it,
        person=person,
        title=it.member.chat.title or (person.display_name if person else ""),
        words=newest.text if newest and newest.author_id not in out else "",
        author=author.display_name if author and not is_mine else "",
        is_mine=is_mine,
        age=age_in(get_language() or "", newest.sent_at, timezone.now()) if newest else "",
    )


def lines(member: Member, viewer: User, messages: Sequence[StoredMessage]) -> list[Line]:
    """Two or three round trips; one query if something is answered, one if somebody is named."""
    answered = _answered(member, messages)
    known = people({it.author_id for it in (*messages, *answered.values())})
    accounts = _accounts(messages)
    out = _kept_away(viewer)
    unread = _first_unread(member, viewer, messages)
    shared = _shared(viewer, messages)
    return [
        Line(
            message=it,
            person=known.get(it.author_id),
            html=_html(it, accounts),
            is_mine=it.author_id == viewer.pk,
            starts=before is None or not _is_run(before, it) or it.id == unread,
            ends=after is None or not _is_run(it, after) or after.id == unread,
            day=_day(it) if before is None or _day(before) != _day(it) else None,
            is_first_unread=it.id == unread,
            answered=_quoted(it, answered, known, out),
            shared=shared.get(it.status_id or 0),
            reactions=_reactions(it, viewer),
            is_folded=it.author_id in out,
            may_change=_may_change(member, it),
        )
        for before, it, after in _with_neighbours(messages)
    ]


def _with_neighbours(
    messages: Sequence[StoredMessage],
) -> Iterator[tuple[StoredMessage | None, StoredMessage, StoredMessage | None]]:
    for place, it in enumerate(messages):
        before = messages[place - 1] if place else None
        yield before, it, messages[place + 1] if place + 1 < len(messages) else None


def _is_run(one: StoredMessage, other: StoredMessage) -> bool:
    return one.author_id == other.author_id and _day(one) == _day(other)


def _day(message: StoredMessage) -> date:
    return message.sent_at.date()


def _kept_away(viewer: User) -> frozenset[int]:
    """Their words are folded: a block is between them and the viewer, or they are suspended."""
    return viewpoint_of(viewer.pk).blocked | suspended_ids()


def _first_unread(member: Member, viewer: User, messages: Sequence[StoredMessage]) -> int | None:
    unread = (it.id for it in messages if it.id > member.read_to and it.author_id != viewer.pk)
    return next(unread, None)


def _may_change(member: Member, message: StoredMessage) -> bool:
    """A page may stand open for longer; the service decides."""
    is_own = message.author_id == member.user_id and not message.is_deleted
    return is_own and member.is_present and timezone.now() - message.sent_at < CHANGEABLE


def _answered(member: Member, messages: Sequence[StoredMessage]) -> dict[int, StoredMessage]:
    """As far as the member may read them."""
    found = {it.id: it for it in messages}
    wanted = {it.reply_to for it in messages if it.reply_to}
    if missing := wanted - found.keys():
        rows = Message.objects.filter(chat=member.chat_id, pk__in=missing)
        rows = rows.filter(pk__gt=member.joined_after).exclude(pk__in=hidden_from(member))
        found |= {it.id: it for it in as_read_by(member, stored(list(rows)))}
    return {id_: found[id_] for id_ in wanted if id_ in found}


def _quoted(
    message: StoredMessage,
    answered: dict[int, StoredMessage],
    known: dict[int, Person],
    out: Collection[int],
) -> Answered | None:
    quoted = answered.get(message.reply_to or 0)
    if quoted is None or quoted.is_deleted or quoted.author_id in out:
        return None
    return Answered(quoted.id, known.get(quoted.author_id), quoted.text)


def _shared(viewer: User, messages: Sequence[StoredMessage]) -> dict[int, ShownStatus]:
    ids = sorted({it.status_id for it in messages if it.status_id})
    return {it.id: it for it in show(ids, viewer=viewer).statuses} if ids else {}


def _reactions(message: StoredMessage, viewer: User) -> list[Reacted]:
    return [Reacted(emoji, len(who), viewer.pk in who) for emoji, who in message.reactions]


def _accounts(messages: Sequence[StoredMessage]) -> dict[str, Mentioned]:
    names = {name for it in messages for name in mentioned_names(find_entities(it.text))}
    found = named(sorted(names), NAMES)
    return {it.username.lower(): Mentioned(it.pk, it.username, it.name) for it in found}


def _html(message: StoredMessage, accounts: dict[str, Mentioned]) -> SafeString:
    entities = with_accounts(find_entities(message.text), accounts)
    return SafeString(to_html(message.text, entities))


def other_person(member: Member, viewer: User) -> Person | None:
    other = other_in(member.chat, viewer)
    return people([other]).get(other) if other else None
