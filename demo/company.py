"""Who there is to talk to, and to whom."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from .people import Bond, Person

GUEST_PLACE = 0
# Strangers who come across what somebody says, for each person in the community.
SHARE_OF_STRANGERS = 0.1


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
        if not able or not number:
            return []
        host = self.chance.choices(able, [self._fame[place] for place in able])[0]
        return [host, *self.guests_of(host, number - 1)]

    def guests_of(self, host: int, number: int) -> list[int]:
        """Some who speak the host's language; followers come first."""
        able = [it for it in self._speaking[self.people[host].language.code] if it != host]
        following = set(self.followers[host])
        self.chance.shuffle(able)
        return sorted(able, key=lambda place: place not in following)[:number]

    def audience(self, author: int) -> list[int]:
        """Who gets to see what the author says, without the guest."""
        people = range(GUEST_PLACE + 1, len(self.people))
        strangers = self.chance.sample(people, k=int(len(people) * SHARE_OF_STRANGERS))
        seen_by = {*self.followers[author], *strangers} - {author, GUEST_PLACE}
        return sorted(seen_by)

    def at(self, place: int) -> str:
        """As others name this person."""
        return f"@{self.people[place].username}"
