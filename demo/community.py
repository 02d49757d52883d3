"""A random community, the same one for the same seed. Nothing here touches a store."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .company import GUEST_PLACE, Company
from .deeds import Deeds, imagine_deeds
from .people import GUEST as GUEST
from .people import Bond, Person, make_bonds, make_fame, make_people
from .sayings import Saying, in_order
from .talk import edit_some, happenings, talk
from .threads import improvised, scripted

SHARE_OF_SCRIPTED, SHARE_OF_HAPPENINGS, SHARE_OF_ANSWERS = 0.5, 0.04, 0.3
LIST_SIZE = 12
TAGS_OF_GUEST = ("birding", "baking", "FirstFrost")


@dataclass(frozen=True)
class Sizes:
    users: int = 200
    statuses: int = 5_000
    """Without boosts."""

    days: int = 21
    seed: int = 1


@dataclass(frozen=True)
class GuestList:
    name: str
    is_private: bool
    members: Sequence[int]


@dataclass(frozen=True)
class Community:
    """The guest is the first of the people. Bonds and sayings are sorted, oldest first."""

    people: Sequence[Person]
    bonds: Sequence[Bond]
    sayings: Sequence[Saying]
    deeds: Deeds
    lists: Sequence[GuestList]
    """Of the guest, who also follows these tags:"""

    tags: Sequence[str]


def imagine(sizes: Sizes) -> Community:
    chance = Random(sizes.seed)  # noqa: S311 - it must repeat, and keeps no secret
    people = make_people(chance, sizes.users, sizes.days)
    fame = make_fame(chance, len(people))
    bonds = make_bonds(chance, people, fame, sizes.days)
    company = Company(chance, people, fame, bonds)
    sayings = _sayings(company, sizes)
    deeds = imagine_deeds(company, sayings)
    return Community(people, bonds, sayings, deeds, _lists(company), TAGS_OF_GUEST)


def _sayings(company: Company, sizes: Sizes) -> list[Saying]:
    """Exactly as many as were asked for."""
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
    return in_order(drafts)


def _lists(company: Company) -> list[GuestList]:
    """People whom the guest follows."""
    friends = company.friends[GUEST_PLACE]
    interests = {place: company.people[place].interests for place in friends}
    topic, _ = Counter(it for some in interests.values() for it in some).most_common(1)[0]
    fans = [place for place in friends if topic in interests[place]]
    close = company.chance.sample(friends, k=min(LIST_SIZE, len(friends)))
    return [
        GuestList(topic.capitalize(), False, fans[:LIST_SIZE]),
        GuestList("Close friends", True, close),
    ]
