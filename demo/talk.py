"""What people say of their own accord, and how they answer each other: in conversations that were
written beforehand, and in made-up ones.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import islice
from operator import attrgetter
from random import Random
from typing import TypeVar

from .languages import GUEST_SPEAKER, Conversation, DemoLanguage, Town, has_guest, speakers
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
HOUR = 60 * MINUTE
# Conversations that were written beforehand are from these days, and people like them.
SCRIPTED_DAYS, GUEST_DAYS = 2.5, 4.5
SCRIPTED_APPEAL, GUEST_APPEAL, ANSWER_APPEAL = 8.0, 12.0, 0.4
# A larger community has each of them more than once.
STATUSES_PER_ROUND = 10_000
MOST_IN_A_ROW = 7
MEAN_PAUSE = HOUR
# What was said during the last hour is answered within minutes, if at all.
LIVELY_PAUSE, SHARE_OF_LIVELY = 3 * MINUTE, 0.5
SHARE_OF_COMMENTS = 0.75

T = TypeVar("T")


class TalkMemory:
    def __init__(self) -> None:
        self._said: set[str] = set()

    def something_new(self, idea: Callable[[], T], text_of: Callable[[T], str]) -> T:
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


def scripted(company: Company, number: int, days: int) -> Iterator[Saying]:
    for language, conversation, age in _programme(company, number, days):
        if len(conversation) <= number:
            drafts = _perform(company, language, conversation, age)
            number -= len(drafts)
            yield from drafts


def _programme(
    company: Company, number: int, days: int
) -> Iterator[tuple[DemoLanguage, Conversation, float]]:
    chance = company.chance
    languages = {person.language.code: person.language for person in company.people}
    every = [(it, talk) for _, it in sorted(languages.items()) for talk in it.conversations]
    with_guest = [pair for pair in every if has_guest(pair[1])]
    others = [pair for pair in every if not has_guest(pair[1])]
    for place, (language, conversation) in enumerate(with_guest):
        yield language, conversation, min(days, GUEST_DAYS) * (1 - place / len(with_guest)) ** 1.5
    for _ in range(1 + number // STATUSES_PER_ROUND):
        for language, conversation in chance.sample(others, k=len(others)):
            yield language, conversation, min(days, SCRIPTED_DAYS) * chance.uniform(0.1, 1) ** 1.5


def _perform(
    company: Company, language: DemoLanguage, conversation: Conversation, age: float
) -> list[Saying]:
    chance, letters = company.chance, speakers(conversation)
    cast = dict(zip(letters, company.speakers(language.code, len(letters)), strict=False))
    if len(cast) < len(letters):
        return []
    cast[GUEST_SPEAKER] = GUEST_PLACE
    names = {letter: company.at(place) for letter, place in cast.items()}
    town = company.people[cast[letters[0]]].town.name
    texts = language.converse(chance, [line.text for line in conversation], town=town, **names)
    drafts: list[Saying] = []
    for line, text, when in zip(
        conversation, texts, _moments(company, len(texts), age), strict=True
    ):
        parent = None if line.answers is None else drafts[line.answers]
        drafts.append(Saying(cast[line.speaker], text, when, parent, appeal=ANSWER_APPEAL))
    drafts[0].appeal = GUEST_APPEAL if drafts[0].author == GUEST_PLACE else SCRIPTED_APPEAL
    return drafts


def _moments(company: Company, number: int, age: float) -> list[float]:
    """One after the other, some minutes apart; squeezed together if now would come first."""
    pauses = [company.chance.expovariate(1 / (14 * MINUTE)) + MINUTE / 4 for _ in range(number)]
    squeezed = min(1.0, 0.95 * age / sum(pauses))
    moments = [age]
    for pause in pauses[1:]:
        moments.append(moments[-1] - pause * squeezed)
    return moments


def improvised(company: Company, openings: Sequence[Saying], number: int) -> Iterator[Saying]:
    for chat in _chats(company, openings):
        if number == 0:
            return
        wanted = min(number, MOST_IN_A_ROW, 1 + int(company.chance.expovariate(0.6)))
        for draft in islice(chat, wanted):
            number -= 1
            yield draft


def _chats(company: Company, openings: Sequence[Saying]) -> Iterator[Iterator[Saying]]:
    """Those of the last hour, then any number about what is older."""
    chance = company.chance
    answerable = [it for it in openings if company.has_guests(it.author)]
    for opening in answerable:
        if opening.days < HOUR and chance.random() < SHARE_OF_LIVELY:
            yield _chat(company, opening, LIVELY_PAUSE)
    older = [it for it in answerable if it.days > 2 * MEAN_PAUSE]
    while older:
        yield _chat(company, chance.choice(older), MEAN_PAUSE)


def _chat(company: Company, opening: Saying, mean_pause: float) -> Iterator[Saying]:
    chance = company.chance
    guests = company.guests_of(opening.author, 3)
    memory = TalkMemory()
    last = opening
    while True:
        age = last.days - chance.expovariate(1 / mean_pause)
        if age <= 0:
            return
        parent = last if chance.random() < 0.6 else opening
        author = _who_answers(company, opening, parent, guests)
        phrases = _answers(company, author, opening, parent)
        text = memory.something_new(partial(_say, company, author, phrases), str)
        last = Saying(author, text, age, parent, appeal=ANSWER_APPEAL)
        yield last


def _who_answers(company: Company, opening: Saying, parent: Saying, guests: Sequence[int]) -> int:
    """Authors answer those who answered them more often than others do, nobody themselves."""
    chance = company.chance
    if parent is not opening and parent.author != opening.author and chance.random() < 0.6:
        return opening.author
    able = [it for it in guests if it != parent.author]
    return chance.choice(able) if able else opening.author


def _answers(company: Company, author: int, opening: Saying, parent: Saying) -> Sequence[str]:
    language = company.people[opening.author].language
    if author == opening.author:
        return language.thanks
    if parent is opening and opening.topic and company.chance.random() < SHARE_OF_COMMENTS:
        return language.comments[opening.topic]
    return language.answers


def _say(company: Company, author: int, phrases: Sequence[str]) -> str:
    person, chance = company.people[author], company.chance
    return person.language.speak(chance, chance.choice(phrases), town=person.town.name)
