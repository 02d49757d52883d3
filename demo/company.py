"""Who there is to talk to, and to whom."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from random import Random

from .people import Bond, Person

GUEST_PLACE = 0
# Who comes across what somebody says without following them, at most.
STRANGERS = 20


class Company:
    """The people and their bonds, as those who talk look at them. People are places in the list."""

    def __init__(
        self, chance: Random, people: Sequence[Person], fame: Sequence[float], bonds: Sequence[Bond]
    ) -> None:
        self.chance, self.people, self._fame = chance, people, fame
        self.friends: list[list[int]] = [[] for _ in people]
        self.followers: list[list[int]] = [[] for _ in people]
        for bond in bonds:
            self.friends[bond.follower].append(bond.followee)
            self.followers[bond.followee].append(bond.follower)
        self._speaking: dict[str, list[int]] = defaultdict(list)
        for place, person in enumerate(people):
            if place != GUEST_PLACE:
                self._speaking[person.language.code].append(place)

    def authors(self, number: int) -> list[int]:
        """People with many followers also say more, though not in proportion."""
        talkative = list(accumulate(known**0.5 for known in self._fame))
        return self.chance.choices(range(len(self.people)), cum_weights=talkative, k=number)

    def speakers(self, language: str, number: int) -> list[int]:
        """Different people, the first of them well-known; fewer if there are not that many."""
        able = self._speaking[language]
        if not able:
            return []
        host = self.chance.choices(able, [self._fame[place] for place in able])[0]
        return [host, *self.guests_of(host, number - 1)]

    def guests_of(self, host: int, number: int) -> list[int]:
        """Some who speak the host's language; followers come first."""
        near, speaking = self._near[host], self._speaking[self.people[host].language.code]
        guests = self.chance.sample(near, k=min(number, len(near)))
        # As many more as may be among those that we have.
        others = self.chance.sample(speaking, k=min(number + len(guests) + 1, len(speaking)))
        return [*guests, *(it for it in others if it != host and it not in guests)][:number]

    def has_guests(self, host: int) -> bool:
        speaking = self._speaking[self.people[host].language.code]
        return any(it != host for it in speaking[:2])

    def audience(self, author: int) -> list[int]:
        """Who gets to see what the author says, without the guest."""
        everybody = range(GUEST_PLACE + 1, len(self.people))
        strangers = self.chance.sample(everybody, k=min(STRANGERS, len(everybody)))
        seen_by = dict.fromkeys([*self.followers[author], *strangers])
        return [place for place in seen_by if place not in (author, GUEST_PLACE)]

    def friends_of_own_language(self, place: int) -> set[int]:
        code = self.people[place].language.code
        return {it for it in self.friends[place] if self.people[it].language.code == code}

    def at(self, place: int) -> str:
        """As others name this person."""
        return f"@{self.people[place].username}"

    @cached_property
    def _near(self) -> list[list[int]]:
        """Of each, the followers who speak the same language."""
        codes = [person.language.code for person in self.people]
        return [
            [it for it in followers if codes[it] == code and it != GUEST_PLACE]
            for code, followers in zip(codes, self.followers, strict=True)
        ]
