"""New accounts that look like spam: the same text again and again, strangers addressed, reports.

A hint for moderators, worked out when one of them looks. Nothing follows from it by itself.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from django.db.models import Exists, OuterRef
from django.db.models.functions import Coalesce

from relations.models import Follow
from statuses.models import Mention, Status
from statuses.words.entities import find_entities
from users.models import User
from web.plain_text import plain

from .models import Report

NEW = timedelta(days=7)
# The newest of these: accounts, and their posts.
MOST_ACCOUNTS, MOST_POSTS = 500, 10_000
# What is no sign yet: people say "Hello!" twice, and write to some they have yet to follow.
USUAL_REPEATS, USUAL_STRANGERS, USUAL_REPORTERS = 2, 4, 1


@dataclass(frozen=True)
class Suspect:
    account: User
    repeats: int  # how often it said what it said most often
    strangers: int  # people it wrote to who don't follow it
    reporters: int  # open reports

    @property
    def signs(self) -> int:
        """How far it is beyond what is usual, in all."""
        pairs = (
            (self.repeats, USUAL_REPEATS),
            (self.strangers, USUAL_STRANGERS),
            (self.reporters, USUAL_REPORTERS),
        )
        return sum(max(0, found - usual) for found, usual in pairs)


def suspects(*, now: datetime, viewer: User) -> list[Suspect]:
    """Worst first. Four queries, whatever the size of the site."""
    accounts = {user.pk: user for user in _newcomers(now) if user.is_active and user != viewer}
    repeats, strangers, reporters = (
        _repeats(accounts),
        _strangers(accounts),
        _reporters(accounts),
    )
    found = (
        Suspect(account, repeats[pk], strangers[pk], reporters[pk])
        for pk, account in accounts.items()
    )
    return sorted((it for it in found if it.signs), key=lambda it: -it.signs)


def _newcomers(now: datetime) -> Iterator[User]:
    newest = User.objects.order_by("-pk")[:MOST_ACCOUNTS]
    return takewhile(lambda user: user.date_joined >= now - NEW, newest)


def _repeats(accounts: Collection[int]) -> Counter[int]:
    posts = Status.objects.filter(author__in=accounts).without_boosts().order_by("-pk")
    texts = defaultdict[int, Counter[str]](Counter)
    for author_id, text in posts.values_list("author", "text")[:MOST_POSTS]:
        texts[author_id][_said(text)] += 1
    return Counter({pk: max(said.values()) for pk, said in texts.items()})


def _said(text: str) -> str:
    """Without whom it is said to: spam names somebody else each time."""
    for mention in reversed([it for it in find_entities(text) if it.kind == "mention"]):
        text = text[: mention.start] + text[mention.end :]
    return " ".join(plain(text).split())


def _strangers(accounts: Collection[int]) -> Counter[int]:
    followed = Follow.objects.filter(follower=OuterRef("user"), followee=OuterRef("author"))
    mentions = Mention.objects.filter(~Exists(followed), author__in=accounts)
    pairs = mentions.order_by("-status").values_list("author", "user")[:MOST_POSTS]
    return _counted(set(pairs))


def _reporters(accounts: Collection[int]) -> Counter[int]:
    """Of open reports. One that a rule made counts as one more."""
    open_ones = Report.objects.filter(account__in=accounts, is_open=True)
    pairs = open_ones.values_list("account", Coalesce("reporter", 0))
    return _counted(set(pairs))


def _counted(pairs: Iterable[tuple[int, int]]) -> Counter[int]:
    return Counter(pk for pk, _ in pairs)
