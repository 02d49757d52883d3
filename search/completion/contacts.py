"""Whom somebody writes to and follows, for their browser to keep a while: it completes these names
without asking.
"""

import json
from collections.abc import Iterable

from relations import store as edges
from relations.blocks_and_mutes import viewpoint
from timelines.index.mentions import addressees_and
from users.models import User
from users.selectors import in_order
from users.store import Person

FOLLOWED = 500
MOST_BYTES = 20_000

Names = tuple[str, str]


def contacts(viewer: User) -> list[Names]:
    """Usernames and names, people one writes to first, then those followed last. As many as fit.
    Three round trips.
    """
    addressees, (view,) = addressees_and(viewer.pk, viewpoint.command(viewer.pk))
    followed = edges.newest_following(viewer.pk, below=None, limit=FOLLOWED)
    hidden = viewpoint.viewpoint_in(view, viewer.pk).blocked | followed.suspended | {viewer.pk}
    ids = dict.fromkeys([*addressees, *(it.user_id for it in followed.edges)])
    return list(_fitting(in_order([it for it in ids if it not in hidden])))


def _fitting(people: Iterable[Person]) -> Iterable[Names]:
    room = MOST_BYTES
    for person in people:
        names = person.username, person.display_name
        room -= len(json.dumps(names)) + 2
        if room < 0:
            return
        yield names
