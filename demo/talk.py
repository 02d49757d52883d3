"""What people say of their own accord: small talk, their topics, what everybody talks about."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from operator import attrgetter
from random import Random
from typing import TypeVar

from .languages import DemoLanguage, Town
from .people import GUEST_PLACE, Company, DemoPerson


@dataclass
class Saying:
    author: int
    text: str
    days: float  # how long ago
    answers: "Saying | None" = None
    topic: str = ""
    warning: str = ""
    place: tuple[float, float] | None = None
    appeal: float = 1.0  # how much others like it, compared with other things that the author says
    before_edit: str = ""
    edited_days: float | None = None

    @property
    def age(self) -> timedelta:
        return timedelta(days=self.days)

    @property
    def edited(self) -> timedelta | None:
        return None if self.edited_days is None else timedelta(days=self.edited_days)


SHARE_OF_MENTIONS, SHARE_OF_SMALL_TALK, SHARE_OF_WARNINGS = 0.1, 0.3, 0.02
IDEAS = 6
SHARE_WITH_PLACE = 0.08
NEARBY_DEGREES = 0.03
# What everybody talks about is over after this long, in days.
HAPPENING_DAYS = 0.6
SHARE_OF_EDITS = 0.025
MINUTE = 1 / (24 * 60)
# What is newest has been there for a moment, so that others have answered some of it.
QUIET_DAYS = 5 * MINUTE

T = TypeVar("T")


class TalkMemory:
    def __init__(self) -> None:
        self._said: set[str] = set()

    def something_new(self, idea: Callable[[], T], text_of: Callable[[T], str]) -> T:
        """The first idea that nobody has had before, or the last of a few."""
        for _ in range(IDEAS):
            found = idea()
            gist = re.sub(r"\d+", "", text_of(found))  # another link makes no other phrase
            if gist not in self._said:
                break
        self._said.add(gist)
        return found


def talk(company: Company, number: int, days: int) -> Iterator[Saying]:
    memory = TalkMemory()
    for author in company.authors(number):
        draft = memory.something_new(partial(_draft, company, author), attrgetter("text"))
        draft.days = QUIET_DAYS + (days - QUIET_DAYS) * company.chance.random() ** 1.3
        draft.place = _somewhere(company.chance, company.people[author].town)
        yield draft


def _draft(company: Company, author: int) -> Saying:
    chance, person = company.chance, company.people[author]
    language, mood = person.language, chance.random()
    topic = warning = ""
    if mood < SHARE_OF_WARNINGS:
        warning, phrase = chance.choice(language.warned)
    elif mood < SHARE_OF_MENTIONS:
        phrase = chance.choice(language.mentions)
    elif mood < SHARE_OF_MENTIONS + SHARE_OF_SMALL_TALK:
        phrase = chance.choice(language.small_talk)
    else:
        topic = chance.choice(person.interests)
        phrase = chance.choice(language.topics[topic])
    friend = company.at(chance.choice(company.friends[author]))
    text = language.speak(chance, phrase, town=person.town.name, friend=friend)
    return Saying(author, text, days=0, topic=topic, warning=warning)


def happenings(company: Company, number: int, days: int) -> Iterator[Saying]:
    """What many people talk about at the same time, in the last hours, except for the guest."""
    memory = TalkMemory()
    told = set[tuple[int, str]]()
    span = min(days, HAPPENING_DAYS) - QUIET_DAYS
    for author in company.authors(number):
        idea = partial(_on_a_happening, company.chance, company.people[author])
        text = memory.something_new(idea, str)
        if author != GUEST_PLACE and (author, text) not in told:
            told.add((author, text))
            yield Saying(author, text, QUIET_DAYS + span * company.chance.random())


def _on_a_happening(chance: Random, person: DemoPerson) -> str:
    """The first ones of a language occupy more people than the others."""
    names = list(person.language.happenings)
    [name] = chance.choices(names, [1 / (place + 1) for place, _ in enumerate(names)])
    phrase = chance.choice(person.language.happenings[name])
    return person.language.speak(chance, phrase, town=person.town.name)


def edit_some(company: Company, drafts: list[Saying]) -> None:
    for draft in drafts:
        later = draft.days - company.chance.uniform(3, 45) * MINUTE
        if later > 0 and company.chance.random() < SHARE_OF_EDITS:
            language = company.people[draft.author].language
            draft.edited_days = later
            draft.before_edit, draft.text = _versions(company.chance, language, draft.text)


def _versions(chance: Random, language: DemoLanguage, text: str) -> tuple[str, str]:
    with_typo = _mistyped(chance, text)
    if with_typo != text and chance.random() < 0.5:
        return with_typo, text
    return text, f"{text} {language.speak(chance, chance.choice(language.afterthoughts))}"


def _mistyped(chance: Random, text: str) -> str:
    words = list(re.finditer(r"(?<![\w@#/:.])[a-z]{5,}(?![\w/:.])", text))
    if not words:
        return text
    start = chance.choice(words).start() + chance.randint(1, 3)
    return text[:start] + text[start + 1] + text[start] + text[start + 2 :]


def _somewhere(chance: Random, town: Town) -> tuple[float, float] | None:
    if chance.random() >= SHARE_WITH_PLACE:
        return None
    shifts = (chance.uniform(-NEARBY_DEGREES, NEARBY_DEGREES) for _ in range(2))
    return round(town.latitude + next(shifts), 5), round(town.longitude + next(shifts), 5)
