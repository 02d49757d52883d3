"""Reading follows, requests, blocks and mutes: pages of people, and what ties two of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db.models import OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.http import Http404
from django.utils import timezone

from redistools.client import get_client
from redistools.scripts import Batch
from users import store as users
from users.models import User
from users.selectors import account_or_404, active_or_404, in_order, with_missing
from users.standing.suspension import suspended_ids
from users.store import Person
from web import pager

from . import acquaintances
from . import store as edges
from .blocks_and_mutes import viewpoint
from .models import Block, Follow, FollowRequest, Mute, MutedWord
from .rows import named_to
from .store import Edge, EdgePage

PEOPLE_PER_PAGE = 50


@dataclass(frozen=True)
class People:
    shown: list[Person]
    followed: set[int] = field(default_factory=set)
    older: int | None = None  # the cursor of the next page, if there is one
    asked: set[int] = field(default_factory=set)
    followers: set[int] = field(default_factory=set)  # those who follow the viewer


def reachable_or_404(username: str, *, viewer: User | None) -> User:
    """To a viewer whom it has blocked, the account seems not to exist. One query."""
    if "\0" in username:  # from a query string; PostgreSQL takes no text with one
        raise Http404("There is no such account.")
    if viewer is None:
        return account_or_404(username)
    return active_or_404(username, named_to(viewer.pk, username))


def blocks_between(viewer: User | int, column: str) -> QuerySet[Block]:
    other = OuterRef(column)
    return Block.objects.filter(Q(blocker=viewer, blocked=other) | Q(blocker=other, blocked=viewer))


def is_block_between(one_id: int, other_id: int) -> bool:
    pair = [one_id, other_id]
    return Block.objects.filter(blocker__in=pair, blocked__in=pair).exists()


def followers(account: User, *, viewer: User | None = None, max_id: int | None = None) -> People:
    return people_page(partial(edges.newest_followers, account.pk), viewer, max_id)


def following(account: User, *, viewer: User | None = None, max_id: int | None = None) -> People:
    return people_page(partial(edges.newest_following, account.pk), viewer, max_id)


def follow_requests(account: User, *, max_id: int | None = None) -> People:
    rows = FollowRequest.objects.filter(followee=account)
    return people_page(partial(_newest, rows, "follower_id"), account, max_id)


def pending_requests(account: User) -> int:
    return FollowRequest.objects.filter(followee=account).count()


def blocked(account: User, *, max_id: int | None = None) -> People:
    rows = Block.objects.filter(blocker=account)
    read = partial(_newest, rows, "blocked_id")
    return people_page(read, account, max_id, hides_blocked=False)


class Muted(NamedTuple):
    people: People
    # Until when, by the ids of those on the page; None: for ever.
    endings: dict[int, datetime | None]


def muted(account: User, *, max_id: int | None = None) -> Muted:
    rows = lasting_mutes(account.pk)
    people = people_page(partial(_newest, rows, "muted_id"), account, max_id)
    shown = rows.filter(muted__in=[it.id for it in people.shown])
    return Muted(people, dict(shown.values_list("muted_id", "until")))


def lasting_mutes(user_id: int) -> QuerySet[Mute]:
    return Mute.objects.filter(_lasting(), user_id=user_id)


def muted_words(account: User) -> QuerySet[MutedWord]:
    return account.muted_words.filter(_lasting()).order_by(Lower("phrase"))


def _lasting() -> Q:
    return Q(until=None) | Q(until__gt=timezone.now())


def _newest(
    rows: "QuerySet[FollowRequest] | QuerySet[Block] | QuerySet[Mute]",
    column: str,
    *,
    below: int | None,
    limit: int,
) -> EdgePage:
    older = rows if below is None else rows.filter(pk__lt=below)
    pairs = older.order_by("-pk").values_list("pk", column)[:limit]
    return EdgePage([Edge(*pair) for pair in pairs], suspended_ids())


class Relationship(NamedTuple):
    follows: bool = False
    is_followed_back: bool = False  # they follow the reader
    hides_boosts: bool = False
    has_asked: bool = False
    blocks: bool = False
    mutes: bool = False
    is_shut_out: bool = False  # the account is private, and not for this reader


class ProfileVisit(NamedTuple):
    relationship: Relationship
    followed: list[int] = []  # whom the reader followed last


def relationship_with(viewer: User | None, account: User) -> Relationship:
    """One round trip; one query if the account is private, and the reader does not follow it."""
    return profile_visit(viewer, account).relationship


def profile_visit(viewer: User | None, account: User) -> ProfileVisit:
    if viewer is None:
        return ProfileVisit(Relationship(is_shut_out=account.is_private))
    if viewer.pk == account.pk:
        return ProfileVisit(Relationship())
    batch = Batch(get_client())
    edges.add_follow_reads(batch, viewer.pk, [account.pk])
    edges.add_follow_reads(batch, account.pk, [viewer.pk])
    edges.add_newest_followed(batch, viewer.pk, limit=acquaintances.SAMPLE)
    batch.add(*viewpoint.command(viewer.pk))
    followed, back, newest, text = batch.run()
    relationship = _relationship(
        viewer,
        account,
        viewpoint.viewpoint_in(text, viewer.pk),
        follows=bool(edges.read_follows(followed, viewer.pk, [account.pk])),
        is_followed_back=bool(edges.read_follows(back, account.pk, [viewer.pk])),
    )
    return ProfileVisit(relationship, [int(user_id) for user_id, _ in newest])


def profile_visit_in_sql(viewer: User | None, account: User) -> ProfileVisit:
    """For use while Redis is away; leaves out whom the reader followed last. Seven queries."""
    if viewer is None or viewer.pk == account.pk:
        return ProfileVisit(Relationship(is_shut_out=viewer is None and account.is_private))
    pair = [viewer.pk, account.pk]
    follows = Follow.objects.filter(follower__in=pair, followee__in=pair)
    followers = set(follows.values_list("follower_id", flat=True))
    relationship = _relationship(
        viewer,
        account,
        viewpoint.viewpoint_in_sql(viewer.pk),
        follows=viewer.pk in followers,
        is_followed_back=account.pk in followers,
    )
    return ProfileVisit(relationship)


def _relationship(
    viewer: User, account: User, view: viewpoint.Viewpoint, *, follows: bool, is_followed_back: bool
) -> Relationship:
    return Relationship(
        follows=follows,
        is_followed_back=is_followed_back,
        hides_boosts=account.pk in view.boosts_hidden,
        has_asked=account.is_private and not follows and bool(asked_among(viewer, [account.pk])),
        blocks=account.pk in view.blocked,
        mutes=view.mutes(account.pk, viewpoint.this_moment()),
        is_shut_out=account.is_private and not follows,
    )


def asked_among(viewer: User, people: list[int]) -> set[int]:
    requests = FollowRequest.objects.filter(follower=viewer, followee__in=people)
    return set(requests.values_list("followee_id", flat=True))


def people_page(
    read: Callable[..., EdgePage],
    viewer: User | None,
    max_id: int | None,
    *,
    hides_blocked: bool = True,
) -> People:
    """Leaves out people with a block between them and the viewer. `read(below=…, limit=…)` finds
    the newest first.
    """
    hides = viewer is not None and hides_blocked
    unseen = viewpoint.viewpoint_of(viewer.pk).blocked if viewer and hides else frozenset()
    shown, older = _visible(read, max_id, unseen)
    user_ids = [edge.user_id for edge in shown]
    return known_to(viewer, user_ids, older=older)


def known_to(viewer: User | None, user_ids: list[int], *, older: int | None = None) -> People:
    """Keeps the order. One round trip; one query if there are private accounts whom the viewer does
    not follow.
    """
    if viewer is None or not user_ids:
        return People(in_order(user_ids), older=older)
    batch = Batch(get_client())
    edges.add_follow_reads(batch, viewer.pk, user_ids)
    shards = edges.add_follower_reads(batch, viewer.pk, user_ids)
    users.add_reads(batch, user_ids)
    follows, *rest = batch.run()
    found = with_missing(user_ids, users.found_in(user_ids, rest[shards:]))
    followed = edges.read_follows(follows, viewer.pk, user_ids)
    private = [it.id for it in found.values() if it.private and it.id not in followed]
    return People(
        [found[user_id] for user_id in user_ids if user_id in found],
        followed,
        older,
        asked_among(viewer, private) if private else set(),
        edges.read_followers(rest[:shards], viewer.pk, user_ids),
    )


def _visible(
    read: Callable[..., EdgePage], below: int | None, unseen: frozenset[int]
) -> pager.Visible[Edge, int]:
    def step(below: int | None, limit: int) -> pager.Step[EdgePage, int]:
        found = read(below=below, limit=limit)
        return pager.Step(found, pager.rest_after([it.row_id for it in found.edges], limit))

    def keep(found: EdgePage) -> list[Edge]:
        hidden = found.suspended | unseen
        return [edge for edge in found.edges if edge.user_id not in hidden]

    return pager.page(step, keep, below, size=PEOPLE_PER_PAGE, cursor_of=lambda edge: edge.row_id)
