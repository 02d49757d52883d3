"""The privacy matrix: every viewer, every audience, every kind of account, every place.

`rules.py` says what is right. Everything is looked at through real pages, and through the streams
of a real process. The author looks first, so nothing that is kept of their pages may reach others.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

import pytest

from redistools import keys
from redistools.client import get_client
from statuses.models import Status
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.privacy.looking import Looking, Sight, Streams, finds, open_streams
from tests.privacy.rules import (
    ACCOUNTS,
    PLACES,
    VIEWERS,
    Account,
    Cell,
    cells,
    may_see,
    verdict,
)
from tests.privacy.stage import TAG, Stage, go_on, say_everywhere, set_stage, write_tagged
from tests.redis_keys import keys_of_the_test
from tests.streaming.server import StreamServer

AFTER_ALL, AFTER_TAGS = "afterallofthis", "afteralltags"
TAGGED_HOME, TAGGED_STREAM = "home, with its tag followed", "home stream, by its tag"
STREAMS = [name for name in PLACES if "stream" in name or "firehose" in name]
RESUMED = [name for name in STREAMS if "resumed" in name]
LIVE = [name for name in STREAMS if name not in (*RESUMED, TAGGED_STREAM)]
TIMELINES = ["profile", "home, with its tag followed", "list", "page of its tag", "mentions"]
PAGES = [name for name in PLACES if name not in (*STREAMS, TAGGED_HOME)]


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.usefixtures("transactional_db")
def test_everybody_sees_what_they_may_and_nothing_else(
    server: StreamServer, account: Account
) -> None:
    stage = set_stage(account)
    with open_streams(stage, server) as streams:
        go_on(stage)
        say_everywhere(stage, AFTER_ALL)
        streams.wait_for(AFTER_ALL)
        wrong = [*wrong_in_streams(stage, streams, LIVE)]
    with open_streams(stage, server, after=stage.beginning) as streams:
        streams.wait_for(AFTER_ALL)
        wrong += wrong_in_streams(stage, streams, RESUMED)
    wrong += wrong_on_pages(stage, PAGES)
    wrong += wrong_in_sql(stage)
    follow_the_tag(stage)
    with open_streams(stage, server, only_homes=True) as streams:
        write_tagged(stage)
        say_everywhere(stage, AFTER_TAGS)
        streams.wait_for(AFTER_TAGS)
        wrong += wrong_in_streams(stage, streams, [TAGGED_STREAM])
    wrong += wrong_on_pages(stage, [TAGGED_HOME])
    forget_copies()
    wrong += wrong_on_pages(stage, TIMELINES)
    assert not wrong, "\n".join([f"{len(wrong)} cells are wrong, such as:", *some_of_each(wrong)])


def some_of_each(wrong: Sequence[str]) -> Iterator[str]:
    """Of the places; all of them would be too much to read."""
    for _, lines in groupby(sorted(wrong), key=lambda line: line.partition(": ")[0]):
        yield from islice(lines, 3)


def follow_the_tag(stage: Stage) -> None:
    for member in stage.members:
        follow_tag(user=stage.people[member], name=TAG)
    drain()


def wrong_on_pages(stage: Stage, places: Sequence[str]) -> Iterator[str]:
    for viewer in VIEWERS:
        looking = Looking(stage, viewer)
        for place, cell in asked(stage, viewer, places):
            yield from wrong(stage, place, cell, looking.at(place, stage.post_for(cell)))
        yield from leaked(stage, viewer, looking.everything, "a page")


def wrong_in_sql(stage: Stage) -> Iterator[str]:
    """What is older than Redis reaches comes from there."""
    for viewer in VIEWERS:
        visible = Status.objects.visible_to(stage.people.get(viewer))
        ids = set(visible.filter(author=stage.author).values_list("pk", flat=True))
        for cell in cells(stage.account):
            post, right = stage.posts.get(cell.which), may_see(cell)
            if post is None or cell.viewer != viewer:
                continue
            if (post.status.pk in ids) is not (right.answer == "shown"):
                yield f"in SQL: should be {right.answer}, because {right.why}: {cell}"


def forget_copies() -> None:
    """All that Redis knows, but for what the stream process goes on with."""
    kept = {keys.event_log(), keys.private_log(), keys.event_marks()}
    get_client().unlink(*(name for name in keys_of_the_test() if name not in kept))


def wrong_in_streams(stage: Stage, streams: Streams, places: Sequence[str]) -> Iterator[str]:
    for viewer in stage.members:
        for place, cell in asked(stage, viewer, places):
            yield from wrong(stage, place, cell, streams.at(place, viewer))
        yield from leaked(stage, viewer, streams.everything(viewer), "a stream")


def asked(stage: Stage, viewer: str, places: Sequence[str]) -> Iterator[tuple[str, Cell]]:
    """Every place and post that the question makes sense for."""
    for place in places:
        moments, kinds = PLACES[place].moments, PLACES[place].kinds
        for cell in cells(stage.account):
            is_meant = cell.viewer == viewer and cell.moment in moments and cell.kind in kinds
            if is_meant and verdict(place, cell).answer != "n/a":
                yield place, cell


def wrong(stage: Stage, place: str, cell: Cell, sight: Sight) -> Iterator[str]:
    right = verdict(place, cell)
    expected = right.answer == "shown"
    if finds(place, sight, cell, stage, expected=expected) is not expected:
        yield f"{place}: should be {right.answer}, because {right.why}: {cell}"


def leaked(stage: Stage, viewer: str, text: str, where: str) -> Iterator[str]:
    """Wherever it was: no word of what the viewer may not see at all."""
    for cell in cells(stage.account):
        if cell.viewer != viewer or may_see(cell).answer == "shown":
            continue
        post = stage.posts.get(cell.which)
        if post and (post.words in text or post.words_before in text):
            yield f"{where} has hidden words: {cell}"
