"""An account leaves, with all that it has posted: which streams learn of what.

`rules.told_of_removal` says what is right, for every viewer, audience and kind of account.
"""

from collections.abc import Iterator

import pytest

from redistools import keys
from redistools.client import get_client
from taskqueue.drain import drain
from tests.privacy.looking import Streams, open_streams
from tests.privacy.rules import ACCOUNTS, TELLING, Account, cells, told_of_removal
from tests.privacy.stage import Stage, go_on, say_everywhere, set_stage
from tests.streaming.server import StreamServer
from users.services import delete_account

THE_END = "afteritsauthorhasleft"
# Some are older than the log: that tells most. The others take as long each.
CASES = [
    pytest.param(
        account,
        is_trimmed,
        id=f"{account}, {'older posts not in the log' if is_trimmed else 'all in the log'}",
        marks=[] if account == "open" and is_trimmed else pytest.mark.long,
    )
    for account in ACCOUNTS
    for is_trimmed in (True, False)
]


@pytest.mark.parametrize(("account", "is_trimmed"), CASES)
@pytest.mark.usefixtures("transactional_db")
def test_only_streams_that_had_a_post_learn_that_its_author_has_left(
    server: StreamServer, account: Account, is_trimmed: bool
) -> None:
    stage = set_stage(account)
    go_on(stage)
    if is_trimmed:
        forget_older_events(stage)
    with open_streams(stage, server) as streams:
        delete_account(user=stage.author)
        drain()
        say_everywhere(stage, THE_END)
        streams.wait_for(THE_END, besides=("author",))
        wrong = [*wrong_in(stage, streams, is_trimmed=is_trimmed)]
    assert not wrong, "\n".join([f"{len(wrong)} cells are wrong:", *wrong[:20]])


def forget_older_events(stage: Stage) -> None:
    """Those of posts that were neither written nor edited since everybody became what they are."""
    oldest = min(post.status.pk for (moment, *_), post in stage.posts.items() if moment == "after")
    for log in (keys.event_log(), keys.private_log()):
        get_client().xtrim(log, minid=f"{oldest}-0", approximate=False)


def wrong_in(stage: Stage, streams: Streams, *, is_trimmed: bool) -> Iterator[str]:
    for cell in cells(stage.account):
        post = stage.posts.get(cell.which)
        if post is None or cell.viewer in ("author", "visitor"):
            continue
        is_in_log = not is_trimmed or cell.moment != "before"
        for place in TELLING:
            right = told_of_removal(place, cell, is_in_log=is_in_log)
            if right.answer == "n/a":
                continue
            is_told = post.status.pk in streams.deleted(place, cell.viewer)
            if is_told is not (right.answer == "shown"):
                yield f"{place}: should be {right.answer}, because {right.why}: {cell}"
