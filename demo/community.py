"""A random community, the same one for the same seed. Nothing here touches a store."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate, count
from random import Random
from typing import NamedTuple

from .languages import Language, Town, load_languages

GUEST = "demo"
"""The account to look around with: it follows many."""

GUEST_MEETS = 1_000
SHARE_OF_ANSWERS, SHARE_OF_SMALL_TALK = 0.2, 0.3
IDEAS = 6
SHARE_WITH_PLACE = 0.08
NEARBY_DEGREES = 0.03


@dataclass(frozen=True)
class Sizes:
    users: int = 200
    statuses: int = 5_000
    days: int = 21
    seed: int = 1


@dataclass(frozen=True)
class Person:
    username: str
    name: str
    bio: str
    language: Language
    town: Town
    interests: Sequence[str]
    signed_up: timedelta
    """How long ago."""


class Bond(NamedTuple):
    """Follower and followee are indexes into the list of people."""

    follower: int
    followee: int
    age: timedelta


class Saying(NamedTuple):
    author: int
    text: str
    place: tuple[float, float] | None
    age: timedelta


@dataclass(frozen=True)
class Community:
    """The guest is the first of the people. Bonds and sayings are sorted, oldest first."""

    people: Sequence[Person]
    bonds: Sequence[Bond]
    sayings: Sequence[Saying]


def imagine(sizes: Sizes) -> Community:
    chance = Random(sizes.seed)  # noqa: S311 - it must repeat, and keeps no secret
    people = _people(chance, sizes)
    fame = _fame(chance, len(people))
    bonds = _bonds(chance, fame, sizes.days)
    return Community(people, bonds, _sayings(chance, people, bonds, fame, sizes))


def _people(chance: Random, sizes: Sizes) -> list[Person]:
    languages = load_languages()
    shares = [language.share for language in languages]
    english = next(language for language in languages if language.code == "en")
    taken = {GUEST}
    people = [_person(chance, english, sizes.days, username=GUEST, name="Demo Guest")]
    for language in chance.choices(languages, shares, k=sizes.users - 1):
        first, last = chance.choice(language.first_names), chance.choice(language.last_names)
        username = _free_username(chance, first, last, taken)
        taken.add(username.lower())
        name = f"{first} {last}"
        people.append(_person(chance, language, sizes.days, username=username, name=name))
    return people


def _person(chance: Random, language: Language, days: int, *, username: str, name: str) -> Person:
    town = chance.choice(language.towns)
    return Person(
        username=username,
        name=name,
        bio=language.speak(chance, chance.choice(language.bios), town=town.name),
        language=language,
        town=town,
        interests=chance.sample(sorted(language.topics), k=2),
        signed_up=timedelta(days=days * chance.uniform(2, 4)),
    )


def _free_username(chance: Random, first: str, last: str, taken: set[str]) -> str:
    first, last = _plain(first), _plain(last)
    wish = chance.choice([first + last[0], f"{first}_{last}", first + last, f"{last}_{first[0]}"])
    spellings = (f"{wish}{number or ''}" for number in count())
    return next(spelling for spelling in spellings if spelling.lower() not in taken)


def _plain(name: str) -> str:
    """Björn is bjorn, as in usernames."""
    decomposed = unicodedata.normalize("NFKD", name.lower())
    return re.sub("[^a-z]", "", decomposed)


def _fame(chance: Random, people: int) -> list[float]:
    """A power law: a few are known to nearly everybody, most to a few."""
    fame = [1 / (rank + 1) ** 0.8 for rank in range(people)]
    chance.shuffle(fame)
    return fame


def _bonds(chance: Random, fame: Sequence[float], days: int) -> list[Bond]:
    everybody, known = range(len(fame)), list(accumulate(fame))
    pairs: list[tuple[int, int]] = []
    for follower in everybody:
        curiosity = GUEST_MEETS if follower == 0 else 3 + int(8 * chance.paretovariate(1.3))
        met = chance.choices(everybody, cum_weights=known, k=min(curiosity, len(fame)))
        # Those who drew only themselves follow a neighbour: everybody has somebody to talk to.
        followees = dict.fromkeys(met).keys() - {follower} or {(follower + 1) % len(fame)}
        pairs += ((follower, followee) for followee in sorted(followees))
    ages = _ages(chance, len(pairs), newest=days * 0.5, oldest=days * 2)
    chance.shuffle(pairs)
    return [Bond(*pair, age) for pair, age in zip(pairs, ages, strict=True)]


def _sayings(
    chance: Random,
    people: Sequence[Person],
    bonds: Sequence[Bond],
    fame: Sequence[float],
    sizes: Sizes,
) -> list[Saying]:
    """People with many followers also say more, though not in proportion."""
    friends: list[list[str]] = [[] for _ in people]
    for bond in bonds:
        friends[bond.follower].append(people[bond.followee].username)
    said: set[str] = set()
    talkative = list(accumulate(known**0.5 for known in fame))
    authors = chance.choices(range(len(people)), cum_weights=talkative, k=sizes.statuses)
    ages = _ages(chance, sizes.statuses, newest=0, oldest=sizes.days)
    return [
        Saying(
            author,
            _new_text(chance, people[author], friends[author], said),
            _place(chance, people[author].town),
            age,
        )
        for author, age in zip(authors, ages, strict=True)
    ]


def _new_text(chance: Random, author: Person, friends: Sequence[str], said: set[str]) -> str:
    """Something that nobody has said before, if a few tries find it."""
    ideas = [_text(chance, author, friends) for _ in range(IDEAS)]
    text = next((idea for idea in ideas if _gist(idea) not in said), ideas[0])
    said.add(_gist(text))
    return text


def _gist(text: str) -> str:
    """The same phrase with another link counts as the same."""
    return re.sub(r"\d+", "", text)


def _text(chance: Random, author: Person, friends: Sequence[str]) -> str:
    language, mood = author.language, chance.random()
    if mood < SHARE_OF_ANSWERS:
        phrases = language.answers
    elif mood < SHARE_OF_ANSWERS + SHARE_OF_SMALL_TALK:
        phrases = language.small_talk
    else:
        phrases = language.topics[chance.choice(author.interests)]
    friend = f"@{chance.choice(friends)}"
    return language.speak(chance, chance.choice(phrases), town=author.town.name, friend=friend)


def _place(chance: Random, town: Town) -> tuple[float, float] | None:
    if chance.random() >= SHARE_WITH_PLACE:
        return None
    shifts = (chance.uniform(-NEARBY_DEGREES, NEARBY_DEGREES) for _ in range(2))
    return round(town.latitude + next(shifts), 5), round(town.longitude + next(shifts), 5)


def _ages(chance: Random, number: int, *, newest: float, oldest: float) -> list[timedelta]:
    """Between two numbers of days ago, oldest first; most are recent."""
    days = sorted(
        (newest + (oldest - newest) * chance.random() ** 1.3 for _ in range(number)), reverse=True
    )
    return [timedelta(days=each) for each in days]
