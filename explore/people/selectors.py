"""Whom somebody may like to follow.

What was worked out may be hours old. What may have changed since is looked at whenever it is shown:
follows, requests, blocks, mutes, suspensions, privacy, and who follows whom.
"""

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.core.cache import cache
from django.utils import translation

from redistools.client import get_client
from redistools.scripts import Batch
from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from relations.selectors import asked_among
from statuses.words.languages import shortened
from users import store as users
from users.models import User
from users.selectors import people, with_missing
from users.standing import suspension
from users.store import Person
from web.pager import Step, past_hidden

from ..readable import first_few
from . import store, working_out
from .reasons import Candidate, Suggestion
from .store import Kept

# Read at once beyond those that are wanted: some may be hidden by now.
SPARE = 6
# If nothing is left of what was kept, it is worked out again at once, but not on every page.
AGAIN_SECONDS = 60
VISITORS_SECONDS = 10 * 60


def suggestions(
    viewer: User | None, *, limit: int, languages: Sequence[str] = ()
) -> list[Suggestion]:
    """Two round trips while something is kept, and a query if there are private accounts."""
    if viewer is None:
        return _for_visitors(limit)
    kept = _kept_for(viewer, languages)
    shown = _shown(viewer, kept, limit)
    if not shown and kept.made < time.time() - AGAIN_SECONDS:
        kept = working_out.work_out(viewer, kept.languages)
        shown = _shown(viewer, kept, limit)
    return shown


def _kept_for(viewer: User, languages: Sequence[str]) -> Kept:
    kept = store.kept_for(viewer.pk)
    if kept is not None and set(languages) <= set(kept.languages):
        return kept
    before = kept.languages if kept else ()
    return working_out.work_out(viewer, first_few([*languages, *before]))


def _shown(viewer: User, kept: Kept, limit: int) -> list[Suggestion]:
    def read(first: int | None, wanted: int) -> Step[list[Candidate], int]:
        place = first or 0
        end = place + wanted + SPARE
        rest = end if end < len(kept.candidates) else None
        return Step(kept.candidates[place:end], rest)

    def keep(some: list[Candidate]) -> list[Suggestion]:
        return _holding(viewer, kept, some) if some else []

    return past_hidden(read, keep, 0, limit=limit).rows[:limit]


class _Seen(NamedTuple):
    """What holds at this moment."""

    found: dict[int, Person]
    hidden: set[int]
    followed: set[int]
    # Of each friend: whom of the candidates they follow.
    circles: dict[int, set[int]]


def _holding(viewer: User, kept: Kept, some: list[Candidate]) -> list[Suggestion]:
    seen = _look(viewer, kept, some)
    private = [it.id for it in seen.found.values() if it.private and it.id not in seen.hidden]
    asked = asked_among(viewer, private) if private else set()
    unwanted = seen.hidden | seen.followed | asked | {viewer.pk}
    suggested = (_suggested(it, seen) for it in some if it.user_id not in unwanted)
    return [it for it in suggested if it is not None]


def _look(viewer: User, kept: Kept, some: list[Candidate]) -> _Seen:
    """One round trip; more if Redis does not know an account, or whom a friend follows."""
    ids = [it.user_id for it in some]
    known = [it.user_id for it in some if it.reason.kind == "friends"]
    friends = kept.friends if known else []
    named = {it.reason.friend for it in some if it.reason.friend is not None}
    read = list(dict.fromkeys([*ids, *named]))
    batch = Batch(get_client())
    batch.add(*suspension.version_command())
    batch.add(*viewpoint.command(viewer.pk))
    edges.add_follow_reads(batch, viewer.pk, [*ids, *friends])
    users.add_reads(batch, read)
    for friend in friends:
        edges.add_follow_reads(batch, friend, known)
    if kept.is_stale(time.time()):
        store.make_due(batch, viewer.pk, patience=0)
    version, view, follows, *rest = batch.run()
    unwanted = viewpoint.viewpoint_in(view, viewer.pk).unwanted(viewpoint.this_moment())
    hidden = suspension.suspended_at(version) | unwanted
    followed = edges.read_follows(follows, viewer.pk, [*ids, *friends])
    return _Seen(
        with_missing(read, users.found_in(read, rest[: len(read)])),
        set(hidden),
        followed,
        _circles(friends, rest[len(read) :], known, followed - hidden),
    )


def _circles(
    friends: Sequence[int], answers: Sequence[Any], known: list[int], heard: set[int]
) -> dict[int, set[int]]:
    """Without friends whom the viewer no longer follows, or does not hear of."""
    circles = zip(friends, answers, strict=False)
    return {it: edges.read_follows(answer, it, known) for it, answer in circles if it in heard}


def _suggested(candidate: Candidate, seen: _Seen) -> Suggestion | None:
    """None if the account is gone, or nothing speaks for it any more."""
    person = seen.found.get(candidate.user_id)
    if person is None or (person.limited and not person.private):
        return None
    if candidate.reason.kind != "friends":
        return None if person.private else Suggestion(person, candidate.reason)
    friends = [it for it, circle in seen.circles.items() if person.id in circle]
    if not friends:
        return None
    friend = candidate.reason.friend
    named = seen.found.get(friend) if friend in friends else None
    return Suggestion(person, candidate.reason, len(friends), named)


def _for_visitors(limit: int) -> list[Suggestion]:
    """By the language of the page, and otherwise the same for all visitors."""
    language = shortened(translation.get_language() or "")
    candidates = _kept_for_visitors(language)
    hidden = suspension.suspended_ids()
    found = people([it.user_id for it in candidates])
    seen = _Seen(found, set(hidden), set(), {})
    shown = (_suggested(it, seen) for it in candidates if it.user_id not in hidden)
    return [it for it in shown if it is not None][:limit]


def _kept_for_visitors(language: str) -> list[Candidate]:
    def find() -> list[tuple[int, str]]:
        return [(it.user_id, it.packed()) for it in working_out.for_visitors([language])]

    kept = cache.get_or_set(f"suggestions:visitors:{language}", find, VISITORS_SECONDS) or []
    return [Candidate.unpacked(who, packed) for who, packed in kept]
