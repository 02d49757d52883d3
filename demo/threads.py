"""People who answer each other: conversations that were written beforehand, and made-up ones."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from .languages import GUEST_SPEAKER, Conversation, DemoLanguage, has_guest, speakers
from .people import GUEST_PLACE, Company
from .talk import MINUTE, Saying, TalkMemory

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


def scripted(company: Company, number: int, days: int) -> Iterator[Saying]:
    """Up to this many lines; a conversation that does not fit in is left out."""
    for language, conversation, age in _programme(company, number, days):
        if len(conversation) <= number:
            drafts = _perform(company, language, conversation, age)
            number -= len(drafts)
            yield from drafts


def _programme(
    company: Company, number: int, days: int
) -> Iterator[tuple[DemoLanguage, Conversation, float]]:
    """Those with the guest come first, in the order in which they were written."""
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
    """Answers to the opening, and to the answer that came last. It goes on until now."""
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
