"""What do pages full of conversation cost over HTTP?

The home has thirty entries: posts, replies and boosts, a third each, most of them liked, boosted or
answered, some by the reader. The notifications are thirty of all kinds, most about several people,
and have been seen before. Visitors get pages that are kept (`web/pages/kept_pages.py`).
"""

from bench.against_hello import Page, pages_over_http
from bench.frame import Stage
from bench.population import make_reader, make_users
from bench.report import Figure, Target
from relations.services import follow
from statuses.models import Status
from statuses.reactions.services import bookmark, boost, like
from statuses.services import edit_status, post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from timelines import selectors
from users.models import User

PEOPLE, FANS = 12, 4
CONVERSATIONS = 12
TEXT = "{}: about as long as most are, with a #tag and a link to https://example.com/page in it."


def measure(stage: Stage) -> dict[str, Figure]:
    reader, me = reader_of_a_lively_home(), somebody_notified()
    said = Status.objects.filter(author=me).latest("pk")
    target = Target("at least", 0.2)
    pages = {
        "home page in conversation": Page("/", reader, target),
        "notifications page": Page("/notifications/", me, target),
        "profile, for visitors": Page(f"/@{me.username}/", None, target),
        "thread, for visitors": Page(f"/@{me.username}/{said.pk}/", None, target),
        "explore, for visitors": Page("/explore/newest/", None, target),
        # With a query, pages are not kept.
        "profile, for visitors, made each time": Page(
            f"/@{me.username}/?max_id=9007199254740991", None
        ),
    }
    return pages_over_http(stage, pages)


def reader_of_a_lively_home() -> User:
    """Follows people who talk to each other, and boost what others say."""
    followed = make_users(PEOPLE)
    reader, friends, others = make_reader(followed), people(followed), people(make_users(PEOPLE))
    for place, friend in enumerate(friends):
        said = say(friend)
        say(friends[place - 1], reply_to=said)
        passed_on = say(others[place])
        boost(user=friends[place - 2], status=passed_on)
        for fan in others[: 1 + place % FANS]:
            like(user=fan, status=said)
            like(user=fan, status=passed_on)
            boost(user=fan, status=said)
        if place % 2:
            like(user=reader, status=said)
            bookmark(user=reader, status=passed_on)
    drain()
    shown = selectors.home(reader)
    assert sum(entry.boost is not None for entry in shown) >= len(shown) // 3
    return reader


def somebody_notified() -> User:
    me, *fans = people(make_users(1 + FANS))
    for fan in fans:
        follow(follower=fan, followee=me)
    for place in range(CONVERSATIONS):
        said, fan = say(me), fans[place % FANS]
        for one in fans:
            like(user=one, status=said)
            boost(user=one, status=said)
        answer = say(fan, reply_to=said)
        say(fan, f"hello @{me.username}")
        if not place % 4:
            boost(user=me, status=answer)
            row = Status.objects.get(pk=answer.id)
            edit_status(status=row, by=fan, text=f"{row.text} Edited.")
    drain()
    return me


def people(ids: range) -> list[User]:
    return list(User.objects.filter(pk__in=ids).order_by("pk"))


def say(author: User, text: str = TEXT, *, reply_to: StoredStatus | None = None) -> StoredStatus:
    status = post_status(
        author=author, text=text.format(author.username), reply_to=reply_to.id if reply_to else None
    )
    return find_statuses([status.pk])[status.pk]
