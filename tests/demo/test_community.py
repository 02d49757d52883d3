from collections import Counter
from datetime import timedelta
from random import Random

import pytest

from demo.community import Community, Sizes, imagine
from demo.languages import has_guest, load_languages, speakers
from statuses.words.text import clean
from tests.demo.seeding import SMALL

COMMUNITY = imagine(SMALL)


def test_the_same_seed_makes_the_same_community() -> None:
    assert imagine(SMALL) == imagine(SMALL)
    assert imagine(SMALL) != imagine(Sizes(users=40, statuses=600, days=7, seed=4))


def test_a_few_are_followed_by_many_and_most_by_a_few() -> None:
    followers = Counter(follow.followee for follow in imagine(Sizes(users=300, statuses=0)).follows)
    counts = sorted((followers[place] for place in range(300)), reverse=True)
    assert counts[0] > 10 * counts[150]
    assert sum(counts[:30]) > sum(counts[150:])


def test_what_is_said_comes_the_oldest_first_and_lies_in_the_past() -> None:
    ages = [saying.age for saying in imagine(SMALL).sayings]
    assert ages == sorted(ages, reverse=True)
    assert timedelta(0) <= ages[-1] < ages[0] <= timedelta(days=7)


def test_every_phrase_of_every_language_can_be_said() -> None:
    for language in load_languages():
        warned = [phrase for pair in language.warned for phrase in pair]
        by_topic = [*language.topics.values(), *language.comments.values()]
        groups = [
            *(language.bios, language.small_talk, language.answers, language.thanks),
            *(language.mentions, language.afterthoughts, warned),
            *(*by_topic, *language.happenings.values()),
        ]
        gaps = {name: max(words, key=len) for name, words in language.words.items()}
        for phrase in [phrase for group in groups for phrase in group]:
            clean(phrase.format_map(gaps | {"town": "Nirgends", "friend": "@alice"}))


def test_every_topic_has_comments_and_every_happening_its_tag() -> None:
    for language in load_languages():
        assert language.topics.keys() == language.comments.keys()
        for tag, phrases in language.happenings.items():
            assert all(f"#{tag}" in phrase for phrase in phrases)


def test_every_conversation_can_be_held() -> None:
    chance = Random(1)
    for language in load_languages():
        for conversation in language.conversations:
            cast = dict.fromkeys([*speakers(conversation), "G"], "@a_name_of_thirty_characters_aa")
            phrases = [line.text for line in conversation]
            for text in language.converse(chance, phrases, town="Nirgends", **cast):
                assert clean(text) == text
            answered = [line.answers for line in conversation]
            assert answered[0] is None
            assert all(it is not None and it < n for n, it in enumerate(answered) if n)


def test_a_gap_has_one_word_throughout_a_conversation() -> None:
    english = next(it for it in load_languages() if it.code == "en")
    lines = english.converse(Random(1), ["{food}"] * 20)
    assert len(set(lines)) == 1


def test_there_is_something_for_the_guest() -> None:
    english = next(it for it in load_languages() if it.code == "en")
    with_guest = [it for it in english.conversations if has_guest(it)]
    assert any(it[0].speaker == "G" for it in with_guest)
    assert any(it[0].speaker != "G" for it in with_guest)


def test_the_community_talks_in_many_ways() -> None:
    sayings = COMMUNITY.sayings
    for sign in ("@", "#", "https://"):
        assert sum(sign in saying.text for saying in sayings) > 20
    assert any(saying.place for saying in sayings)
    assert any(saying.warning for saying in sayings)
    openings = [saying.text for saying in sayings if saying.answers is None]
    assert len(set(openings)) > 0.9 * len(openings)


def test_answers_come_after_what_they_answer_and_some_threads_are_long() -> None:
    depths = depths_of(COMMUNITY)
    assert max(depths.values()) >= 5
    assert Counter(depths.values())[1] > Counter(depths.values())[3] > 0
    said: set[int] = set()
    for saying in COMMUNITY.sayings:
        if saying.answers is not None:
            assert id(saying.answers) in said
            assert saying.answers.age > saying.age
        said.add(id(saying))


def test_one_thread_of_a_large_community_is_longer_than_a_page() -> None:
    assert max(depths_of(imagine(Sizes())).values()) > 30


def test_some_go_on_with_their_own_threads_and_others_talk_to_each_other() -> None:
    pairs = [(it, it.answers) for it in COMMUNITY.sayings]
    assert any(parent and parent.author == it.author for it, parent in pairs)
    assert sum(bool(parent and parent.author != it.author) for it, parent in pairs) > 100


def test_few_things_are_liked_by_many_and_nobody_likes_something_twice() -> None:
    likes, boosts, bookmarks = COMMUNITY.reactions
    fans = sorted(Counter(like.saying for like in likes).values(), reverse=True)
    assert fans[0] > 8
    assert len(fans) < 0.8 * len(COMMUNITY.sayings), "many get none"
    for reactions in (likes, boosts, bookmarks):
        assert len({(reaction.person, reaction.saying) for reaction in reactions}) == len(reactions)
        assert [reaction.age for reaction in reactions] == sorted(
            (it.age for it in reactions), reverse=True
        )


def test_what_is_done_with_a_saying_happens_after_it_and_not_in_the_future() -> None:
    for reactions in COMMUNITY.reactions:
        for reaction in reactions:
            assert timedelta(0) < reaction.age <= COMMUNITY.sayings[reaction.saying].age


def test_an_edit_comes_within_the_hour_and_changes_something() -> None:
    edited = [it for it in imagine(Sizes()).sayings if it.edited is not None]
    assert len(edited) > 20
    for saying in edited:
        assert saying.edited is not None
        assert timedelta(0) < saying.age - saying.edited < timedelta(hours=1)
        assert saying.before_edit != saying.text


@pytest.mark.parametrize(("users", "statuses"), [(2, 0), (2, 60), (3, 7), (12, 500)])
def test_a_tiny_community_says_as_much_as_it_was_asked_to(users: int, statuses: int) -> None:
    assert len(imagine(Sizes(users, statuses, days=1, seed=5)).sayings) == statuses


def depths_of(community: Community) -> dict[int, int]:
    depths: dict[int, int] = {}
    for it in community.sayings:
        depths[id(it)] = 0 if it.answers is None else depths[id(it.answers)] + 1
    return depths
