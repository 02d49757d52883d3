"""Carrying a status to an audience, a few hundred members a call, inside their partition.

An audience is split into legs: the followers in one partition, or the lists in one partition.
Legs are independent of each other; each keeps a cursor and can go on where it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Literal, NamedTuple

from django.conf import settings

from lists import store as list_store
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Argument, Batch, Script
from relations import store as edges
from users.models import User

from . import pulled, store
from .events import delivered

# About a millisecond of Redis' time; three when all of these homes are full.
BATCH_SIZE = 200
# How many followers get a status before the author's request is answered.
FIRST_DELIVERIES = 1_000
# Finding an id in a timeline takes longer than putting one on top.
SWEEP_SIZE = 25
SLACK = 32
# A call always ends after this many rounds; a task serves the rest.
ROUNDS = 1_000

Audience = Literal["followers", "lists"]
Round = Callable[[Batch, "Leg", int], None]
Served = Callable[[int], object]  # told how many members a round has served

_deliver = Script(__file__, "deliver")
_deliver_one = Script(__file__, "deliver_one")
_visit = Script(__file__, "visit")


class Leg(NamedTuple):
    """A part of an author's audience, and how far it has been served."""

    author_id: int
    audience: Audience
    partition: int
    cursor: int = 0

    @property
    def audience_key(self) -> str:
        make = keys.followers if self.audience == "followers" else keys.listed
        return make(self.partition, self.author_id)

    @property
    def timelines(self) -> str:
        return (
            keys.homes(self.partition)
            if self.audience == "followers"
            else keys.lists(self.partition)
        )


def all_legs(author: User) -> list[Leg]:
    """An empty audience has no legs: most authors are in no list, and many have no follower."""
    audiences: list[Audience] = []
    if author.followers_count:
        audiences.append("followers")
    if author.listed_count:
        audiences.append("lists")
    partitions = range(settings.PARTITIONS)
    return [
        Leg(author.pk, audience, partition) for audience in audiences for partition in partitions
    ]


def add_to_author(batch: Batch, author_id: int, status_id: int) -> None:
    """Authors see their own statuses. Atomic."""
    names = [keys.home(author_id), keys.deleted_statuses(keys.partition(author_id))]
    batch.call(_deliver_one, names, [status_id, store.TIMELINE_SIZE, SLACK])


def deliver(legs: Sequence[Leg], status_id: int, *, budget: int) -> list[Leg]:
    """Deliver to about `budget` members of the audience; returns what is left of the legs."""
    served = partial(delivered, status_id)
    return _walk(legs, partial(_add_delivery, status_id), budget=budget, served=served)


def add_first_deliveries(batch: Batch, legs: Sequence[Leg], status_id: int) -> None:
    """The first round of `deliver`, as part of a longer batch; `go_on` gets its answers."""
    _add_round(batch, legs, partial(_add_delivery, status_id), FIRST_DELIVERIES)


def go_on(legs: Sequence[Leg], answers: Sequence[list[Any]], status_id: int) -> list[Leg]:
    """The other rounds. Most authors have few followers, and are done after the first."""
    visited = sum(map(_visited, answers))
    if legs:
        delivered(status_id, visited)
    return deliver(_left(legs, answers), status_id, budget=FIRST_DELIVERIES - visited)


def sweep(legs: Sequence[Leg], status_id: int, *, budget: int) -> list[Leg]:
    return _walk(legs, partial(_add_visit, "sweep", status_id), budget=budget)


def reopen(legs: Sequence[Leg], *, budget: int) -> list[Leg]:
    return _walk(legs, partial(_add_visit, "reopen", 0), budget=budget)


def _walk(
    legs: Sequence[Leg], add: Round, *, budget: int, served: Served = lambda _members: None
) -> list[Leg]:
    """All legs advance together: one round trip for each round, one script call for each leg."""
    open_legs = list(legs)
    for _ in range(ROUNDS):
        if not open_legs or budget <= 0:
            break
        batch = Batch(get_client())
        _add_round(batch, open_legs, add, budget)
        answers = batch.run()
        visited = sum(map(_visited, answers))
        served(visited)
        budget -= visited
        open_legs = _left(open_legs, answers)
    return open_legs


def _add_round(batch: Batch, legs: Sequence[Leg], add: Round, budget: int) -> None:
    size = min(BATCH_SIZE, ceil(budget / max(1, len(legs))))
    for leg in legs:
        add(batch, leg, size)


def _left(legs: Sequence[Leg], answers: Sequence[list[Any]]) -> list[Leg]:
    """The legs at their new cursors, without those at their end; what they lack is loaded."""
    outcomes = list(zip(legs, answers, strict=True))
    _load({leg: answer[1] for leg, answer in outcomes if answer[0] == "unknown"})
    return [rest for leg, answer in outcomes if (rest := _advance(leg, answer))]


def _advance(leg: Leg, answer: list[Any]) -> Leg | None:
    state, *details = answer
    if state == "unknown":
        return leg
    return leg._replace(cursor=int(details[0])) if state == "more" else None


def _visited(answer: list[Any]) -> int:
    return int(answer[2]) if answer[0] in ("more", "done") else 0


def _add_delivery(status_id: int, batch: Batch, leg: Leg, size: int) -> None:
    names = [
        leg.audience_key,
        keys.deleted_statuses(leg.partition),
        keys.pull_authors(leg.partition),
        f"{keys.pulled(leg.partition)}{leg.author_id}",
    ]
    # Lists are fewer than followers, and pulled authors are delivered to them too.
    pullable = str(leg.author_id) if leg.audience == "followers" else ""
    arguments: list[Argument] = [
        leg.timelines,
        status_id,
        pullable,
        leg.cursor,
        size,
        store.TIMELINE_SIZE,
        SLACK,
    ]
    batch.call(_deliver, names, arguments)


def _add_visit(action: str, status_id: int, batch: Batch, leg: Leg, size: int) -> None:
    size = min(size, SWEEP_SIZE)
    batch.call(_visit, [leg.audience_key], [leg.timelines, action, status_id, leg.cursor, size])


def _load(unknown: Mapping[Leg, str]) -> None:
    """One query loads an audience in all partitions."""
    audiences = set[tuple[Audience, int]]()
    for leg, key in unknown.items():
        if key == leg.audience_key:
            audiences.add((leg.audience, leg.author_id))
        else:
            pulled.load(leg.partition, key)
    for audience, author_id in audiences:
        if audience == "followers":
            edges.ensure_followers(author_id)
        else:
            list_store.ensure_listed(author_id, range(settings.PARTITIONS))
