"""A random community, the same one for the same seed. Nothing here touches a store."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import chain
from random import Random
from typing import NamedTuple

from .people import (
    GUEST_PLACE,
    Company,
    DemoFollow,
    DemoPerson,
    make_fame,
    make_follows,
    make_people,
)
from .talk import Saying, edit_some, happenings, improvised, scripted, talk

# Twice the likes take four times the followers.
INTEREST, SPREAD = 0.35, 1.1
# Nothing pleases everybody.
MOST_FANS = 0.4
SHARE_OF_BOOSTS, SHARE_OF_BOOSTED_ANSWERS = 0.1, 0.01
MEAN_DELAY = timedelta(hours=6)
# Everybody is there during the last hour, and quick.
LIVELY, LIVELY_APPEAL, LIVELY_DELAY = timedelta(hours=1), 3.0, timedelta(minutes=4)
# Of the guest.
LIKES, BOOSTS, EDITED_BOOSTS, BOOKMARKS = 40, 6, 3, 12
AMONG_NEWEST = 800
AWAY = timedelta(hours=1)


class DemoReaction(NamedTuple):
    """By a person, with a saying; both are places in their lists."""

    person: int
    saying: int
    age: timedelta


class DemoReactions(NamedTuple):
    likes: Sequence[DemoReaction]
    boosts: Sequence[DemoReaction]
    bookmarks: Sequence[DemoReaction]


def imagine_reactions(company: Company, sayings: Sequence[Saying]) -> DemoReactions:
    likes: list[DemoReaction] = []
    boosts: list[DemoReaction] = []
    for place, saying in enumerate(sayings):
        fans = list(_fans(company, place, saying))
        share = SHARE_OF_BOOSTS if saying.answers is None else SHARE_OF_BOOSTED_ANSWERS
        boosts += (fan for fan in fans if company.chance.random() < share)
        likes += fans
    guest = _of_guest(company, sayings)
    return DemoReactions(
        *(
            sorted(chain(*some), key=lambda reaction: -reaction.age)
            for some in ((likes, guest.likes), (boosts, guest.boosts), (guest.bookmarks,))
        )
    )


def _fans(company: Company, place: int, saying: Saying) -> Iterator[DemoReaction]:
    """Few things are liked by many. Those who would come in the future are left out."""
    chance = company.chance
    audience = company.audience(saying.author)
    is_lively = saying.age < LIVELY
    appeal = saying.appeal * (LIVELY_APPEAL if is_lively else 1)
    interest = INTEREST * len(company.followers[saying.author]) ** 0.5 * appeal
    wanted = int(interest * chance.lognormvariate(0, SPREAD))
    number = min(wanted, int(len(audience) * MOST_FANS))
    for person in chance.sample(audience, k=number):
        delay = LIVELY_DELAY if is_lively else MEAN_DELAY
        age = saying.age - delay * chance.expovariate(1)
        if age > timedelta(0):
            yield DemoReaction(person, place, age)


def _of_guest(company: Company, sayings: Sequence[Saying]) -> DemoReactions:
    newest = [pair for pair in enumerate(sayings) if pair[1].age > AWAY][-AMONG_NEWEST:]
    read = company.friends_of_own_language(GUEST_PLACE)
    others = [pair for pair in newest if pair[1].author in read]
    openings = [pair for pair in others if pair[1].answers is None]
    answers = [(n, it) for n, it in others if it.answers and it.answers.author == GUEST_PLACE]
    edited = [pair for pair in openings if pair[1].edited is not None][-EDITED_BOOSTS:]
    plain = [pair for pair in openings if pair[1].edited is None]
    chance, by_guest = company.chance, partial(DemoReaction, GUEST_PLACE)

    def reactions(pairs: Sequence[tuple[int, Saying]], number: int) -> list[DemoReaction]:
        some = chance.sample(pairs, k=min(number, len(pairs)))
        return [by_guest(place, it.age * chance.uniform(0.2, 0.9)) for place, it in some]

    before_edit = [by_guest(place, (it.age + it.edited) / 2) for place, it in edited if it.edited]
    return DemoReactions(
        reactions(plain, LIKES) + reactions(answers, len(answers)),
        reactions(plain, BOOSTS) + before_edit,
        reactions(openings, BOOKMARKS),
    )


SHARE_OF_SCRIPTED, SHARE_OF_HAPPENINGS, SHARE_OF_ANSWERS = 0.5, 0.04, 0.3
LIST_SIZE = 12
TAGS_OF_GUEST = ("birding", "baking", "FirstFrost")


@dataclass(frozen=True)
class Sizes:
    users: int = 200
    statuses: int = 5_000  # without boosts
    days: int = 21
    seed: int = 1


@dataclass(frozen=True)
class GuestList:
    name: str
    is_private: bool
    members: Sequence[int]


@dataclass(frozen=True)
class Community:
    """The guest is the first of the people. Follows and sayings are sorted, oldest first."""

    people: Sequence[DemoPerson]
    follows: Sequence[DemoFollow]
    sayings: Sequence[Saying]
    reactions: DemoReactions
    lists: Sequence[GuestList]  # of the guest
    tags: Sequence[str]  # that the guest follows


def imagine(sizes: Sizes) -> Community:
    chance = Random(sizes.seed)  # noqa: S311 - it must repeat, and keeps no secret
    people = make_people(chance, sizes.users, sizes.days)
    fame = make_fame(chance, len(people))
    follows = make_follows(chance, people, fame, sizes.days)
    company = Company(chance, people, fame, follows)
    sayings = _sayings(company, sizes)
    reactions = imagine_reactions(company, sayings)
    return Community(people, follows, sayings, reactions, _lists(company), TAGS_OF_GUEST)


def _sayings(company: Company, sizes: Sizes) -> list[Saying]:
    number, days = sizes.statuses, sizes.days
    drafts = list(scripted(company, int(number * SHARE_OF_SCRIPTED), days))
    openings = list(happenings(company, int(number * SHARE_OF_HAPPENINGS), days))
    left = number - len(drafts) - len(openings)
    answers = int(left * SHARE_OF_ANSWERS)
    openings += talk(company, left - answers, days)
    edit_some(company, openings)
    drafts += openings
    drafts += improvised(company, openings, answers)
    # Nobody is there who would answer: say something else.
    drafts += talk(company, number - len(drafts), days)
    return sorted(drafts, key=lambda saying: -saying.days)


def _lists(company: Company) -> list[GuestList]:
    friends = company.friends[GUEST_PLACE]
    interests = {place: company.people[place].interests for place in friends}
    topic, _ = Counter(it for some in interests.values() for it in some).most_common(1)[0]
    fans = [place for place in friends if topic in interests[place]]
    close = company.chance.sample(friends, k=min(LIST_SIZE, len(friends)))
    public = GuestList(topic.capitalize(), False, fans[:LIST_SIZE])
    return [public, GuestList("Close friends", True, close)]
