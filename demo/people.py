"""Who is in the community, who follows whom, and who there is to talk to."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from itertools import accumulate, count
from random import Random
from typing import NamedTuple

from .languages import DemoLanguage, Town, load_languages

GUEST = "demo"  # the account to look around with: it follows many
PASSWORD = "have a look around"  # noqa: S105 - printed for everybody who runs the demo

GUEST_MEETS = 1_000
# How likely somebody follows a person of another language, compared with one of their own.
ACROSS_LANGUAGES = 0.15
# Somebody, but not a star.
GUEST_FAME = 0.05
# One in eight has found the guest these days.
FINDS_GUEST = 8
DAYS_OF_FINDING = 6


@dataclass(frozen=True)
class DemoPerson:
    username: str
    name: str
    bio: str
    language: DemoLanguage
    town: Town
    interests: Sequence[str]
    signed_up: timedelta  # how long ago


class DemoFollow(NamedTuple):
    """Follower and followee are places in the list of people."""

    follower: int
    followee: int
    age: timedelta


def make_people(chance: Random, number: int, days: int) -> list[DemoPerson]:
    languages = load_languages()
    shares = [language.share for language in languages]
    english = next(language for language in languages if language.code == "en")
    taken = {GUEST}
    people = [_person(chance, english, days, username=GUEST, name="Demo Guest")]
    for language in chance.choices(languages, shares, k=number - 1):
        first, last = chance.choice(language.first_names), chance.choice(language.last_names)
        username = _free_username(chance, first.latin, last.latin, taken)
        taken.add(username.lower())
        name = language.full_name.format(first=first.shown, last=last.shown)
        people.append(_person(chance, language, days, username=username, name=name))
    return people


def _person(
    chance: Random, language: DemoLanguage, days: int, *, username: str, name: str
) -> DemoPerson:
    town = chance.choice(language.towns)
    return DemoPerson(
        username=username,
        name=name,
        bio=language.speak(chance, chance.choice(language.bios), town=town.name),
        language=language,
        town=town,
        interests=chance.sample(list(language.topics), k=2),
        signed_up=timedelta(days=days * chance.uniform(2, 4)),
    )


def _free_username(chance: Random, first: str, last: str, taken: set[str]) -> str:
    first, last = _plain(first), _plain(last)
    wish = chance.choice([first + last[0], f"{first}_{last}", first + last, f"{last}_{first[0]}"])
    spellings = (f"{wish}{number or ''}" for number in count())
    return next(spelling for spelling in spellings if spelling.lower() not in taken)


def _plain(name: str) -> str:
    decomposed = unicodedata.normalize("NFKD", name.lower())
    return re.sub("[^a-z]", "", decomposed)


def make_fame(chance: Random, people: int) -> list[float]:
    """A power law: a few are known to nearly everybody, most to a few."""
    fame = [1 / (rank + 1) ** 0.8 for rank in range(people)]
    chance.shuffle(fame)
    return [GUEST_FAME, *fame[1:]]


def make_follows(
    chance: Random, people: Sequence[DemoPerson], fame: Sequence[float], days: int
) -> list[DemoFollow]:
    everybody, known = range(len(fame)), _known_to(people, fame)
    pairs: list[tuple[int, int]] = []
    for follower in everybody:
        curiosity = GUEST_MEETS if follower == 0 else 3 + int(8 * chance.paretovariate(1.3))
        weights = known[people[follower].language.code]
        met = chance.choices(everybody, cum_weights=weights, k=min(curiosity, len(fame)))
        # Those who drew only themselves follow a neighbour: everybody has somebody to talk to.
        followees = dict.fromkeys(met).keys() - {follower} or {(follower + 1) % len(fame)}
        pairs += ((follower, followee) for followee in sorted(followees))
    old = [days * (0.5 + 1.5 * chance.random() ** 1.3) for _ in pairs]
    follows = [DemoFollow(*pair, timedelta(days=age)) for pair, age in zip(pairs, old, strict=True)]
    follows += _finds_of_guest(chance, pairs, len(fame), days)
    return sorted(follows, key=lambda follow: -follow.age)


def _known_to(people: Sequence[DemoPerson], fame: Sequence[float]) -> dict[str, list[float]]:
    return {
        code: list(
            accumulate(
                known if person.language.code == code else known * ACROSS_LANGUAGES
                for person, known in zip(people, fame, strict=True)
            )
        )
        for code in {person.language.code for person in people}
    }


def _finds_of_guest(
    chance: Random, pairs: Sequence[tuple[int, int]], people: int, days: int
) -> list[DemoFollow]:
    strangers = sorted(set(range(1, people)) - {who for who, whom in pairs if whom == 0})
    found = chance.sample(strangers, k=min(len(strangers), people // FINDS_GUEST))
    span = min(days, DAYS_OF_FINDING)
    return [DemoFollow(who, 0, timedelta(days=span * chance.random() ** 1.5)) for who in found]


GUEST_PLACE = 0
# Who comes across what somebody says without following them, at most.
STRANGERS = 20


class Company:
    """The people and who follows whom, for those who talk. People are places in the list."""

    def __init__(
        self,
        chance: Random,
        people: Sequence[DemoPerson],
        fame: Sequence[float],
        follows: Sequence[DemoFollow],
    ) -> None:
        self.chance, self.people, self._fame = chance, people, fame
        self.friends: list[list[int]] = [[] for _ in people]
        self.followers: list[list[int]] = [[] for _ in people]
        for follow in follows:
            self.friends[follow.follower].append(follow.followee)
            self.followers[follow.followee].append(follow.follower)
        self._speaking: dict[str, list[int]] = defaultdict(list)
        for place, person in enumerate(people):
            if place != GUEST_PLACE:
                self._speaking[person.language.code].append(place)

    def authors(self, number: int) -> list[int]:
        """People with many followers also say more, though not in proportion."""
        talkative = list(accumulate(known**0.5 for known in self._fame))
        return self.chance.choices(range(len(self.people)), cum_weights=talkative, k=number)

    def speakers(self, language: str, number: int) -> list[int]:
        able = self._speaking[language]
        if not able:
            return []
        host = self.chance.choices(able, [self._fame[place] for place in able])[0]
        return [host, *self.guests_of(host, number - 1)]

    def guests_of(self, host: int, number: int) -> list[int]:
        near, speaking = self._near[host], self._speaking[self.people[host].language.code]
        guests = self.chance.sample(near, k=min(number, len(near)))
        # As many more as may be among those that we have.
        others = self.chance.sample(speaking, k=min(number + len(guests) + 1, len(speaking)))
        return [*guests, *(it for it in others if it != host and it not in guests)][:number]

    def has_guests(self, host: int) -> bool:
        speaking = self._speaking[self.people[host].language.code]
        return any(it != host for it in speaking[:2])

    def audience(self, author: int) -> list[int]:
        everybody = range(GUEST_PLACE + 1, len(self.people))
        strangers = self.chance.sample(everybody, k=min(STRANGERS, len(everybody)))
        seen_by = dict.fromkeys([*self.followers[author], *strangers])
        return [place for place in seen_by if place not in (author, GUEST_PLACE)]

    def friends_of_own_language(self, place: int) -> set[int]:
        code = self.people[place].language.code
        return {it for it in self.friends[place] if self.people[it].language.code == code}

    def at(self, place: int) -> str:
        return f"@{self.people[place].username}"

    @cached_property
    def _near(self) -> list[list[int]]:
        codes = [person.language.code for person in self.people]
        return [
            [it for it in followers if codes[it] == code and it != GUEST_PLACE]
            for code, followers in zip(codes, self.followers, strict=True)
        ]
