"""The boards: decay against a plain model, once for each person, and what bounds them."""

from collections import defaultdict
from functools import partial
from itertools import permutations
from math import log2

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as search
from hypothesis import strategies as st
from redis.crc import key_slot

from explore import store
from explore.store import POSTS, TAGS, WEIGHTS, count_post
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from tests.explore.board import HOUR, START, event_at, like, model_score, post, scores, use_tag
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips

DAYS = st.integers(0, 20 * 24 * HOUR)
responses = st.tuples(st.integers(1, 4), st.sampled_from(list(WEIGHTS)), st.integers(1, 6), DAYS)
half_hours = st.integers(0, 10).map(lambda count: count * HOUR // 2)
uses = st.tuples(st.sampled_from("abcd"), st.integers(1, 4), half_hours | st.integers(0, 5 * HOUR))
many = search(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def start_over() -> None:
    if found := keys_of_the_test("trending:*"):
        get_client().delete(*found)


@many
@given(events=st.lists(responses, max_size=40))
def test_scores_are_those_of_a_plain_model(
    events: list[tuple[int, store.Response, int, int]], key_prefix: str
) -> None:
    start_over()
    counted: dict[tuple[int, store.Response, int], int] = {}
    for status_id, response, user_id, ms in events:
        is_new = (status_id, response, user_id) not in counted
        assert post(status_id, response, user_id, ms=ms) is is_new
        counted.setdefault((status_id, response, user_id), ms)
    expected: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for (status_id, response, _user_id), ms in counted.items():
        expected[str(status_id)].append((ms, WEIGHTS[response]))
    wanted = {item: model_score(POSTS, some) for item, some in expected.items()}
    assert scores(POSTS) == pytest.approx(wanted, abs=1e-6)


@many
@given(events=st.lists(uses, max_size=40))
def test_a_person_counts_once_an_hour_for_a_tag(
    events: list[tuple[str, int, int]], key_prefix: str
) -> None:
    start_over()
    last: dict[tuple[str, int], int] = {}
    expected: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for tag, user_id, ms in events:
        counts = (tag, user_id) not in last or ms >= last[tag, user_id] + HOUR
        assert use_tag(tag, user_id, ms=ms) is counts
        if counts:
            last[tag, user_id] = ms
            expected[tag].append((ms, 1))
    wanted = {item: model_score(TAGS, some) for item, some in expected.items()}
    assert scores(TAGS) == pytest.approx(wanted, abs=1e-6)


def test_an_old_favourite_is_overtaken_by_a_fresh_one() -> None:
    for user_id in range(8):
        like(1, user_id)
    like(2, 99, ms=2 * POSTS.half_life_ms)
    assert [it.id for it in store.popular()] == [1, 2], "eight have become two, more than one"
    like(2, 98, ms=2 * POSTS.half_life_ms)
    like(2, 97, ms=2 * POSTS.half_life_ms)
    assert [it.id for it in store.popular()] == [2, 1]


def test_it_does_not_matter_in_which_order_things_are_counted() -> None:
    """A task may come late."""
    found = []
    for order in permutations([0, 3 * HOUR, 40 * HOUR]):
        start_over()
        for ms in order:
            like(1, ms, ms=ms)
        found.append(scores(POSTS)["1"])
    assert found == pytest.approx([found[0]] * 6, abs=1e-9)


def test_each_action_counts_by_itself() -> None:
    assert [post(1, response, 7) for response in WEIGHTS] == [True] * 3
    assert [post(1, response, 7, ms=5 * HOUR) for response in WEIGHTS] == [False] * 3
    assert scores(POSTS)["1"] == pytest.approx(log2(sum(WEIGHTS.values())))


def test_a_race_counts_once() -> None:
    assert sum(in_threads(8, like, 1, 7)) == 1
    assert scores(POSTS)["1"] == pytest.approx(0)


def test_nobody_is_lost_in_a_race() -> None:
    people = list(range(16))

    def like_as_the_next() -> bool:
        return like(1, people.pop())

    assert all(in_threads(16, like_as_the_next))
    assert scores(POSTS)["1"] == pytest.approx(log2(16))


def shrink(monkeypatch: pytest.MonkeyPatch, *, size: int = 3, people: int = 3) -> None:
    monkeypatch.setattr(store, "POSTS", POSTS._replace(size=size, people=people))
    monkeypatch.setattr(store, "TAGS", TAGS._replace(size=size, people=people))


def test_a_board_keeps_its_size_and_forgets_those_who_counted_for_what_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shrink(monkeypatch)
    for number, tag in enumerate("ABCDE"):
        use_tag(tag, 7, ms=number)
    assert len(scores(TAGS)) == 3
    people = {name.rpartition(":")[2] for name in keys_of_the_test("trending:*:people:*")}
    written = get_client().hgetall(keys.trending_written())
    assert set(scores(TAGS)) == people == set(written)
    assert "e" in people


def test_a_newcomer_rises_on_a_full_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a score of its own alone, it would be thrown out after each like."""
    shrink(monkeypatch, people=100)
    for status_id in (1, 2, 3):
        for user_id in range(10):
            like(status_id, user_id)
    for user_id in range(11):
        like(4, user_id)
        like(5, user_id)
    assert {it.id for it in store.popular()[:2]} == {4, 5}


@many
@given(likes=st.lists(st.integers(1, 12), max_size=120))
def test_what_most_people_like_is_on_a_full_board(likes: list[int], key_prefix: str) -> None:
    """And no score is too high by more than the whole divided by the size of the board."""
    size = 4
    start_over()
    with pytest.MonkeyPatch.context() as monkeypatch:
        shrink(monkeypatch, size=size, people=1_000)
        for user_id, status_id in enumerate(likes):
            like(status_id, user_id)
    held = {int(item): 2**score for item, score in scores(POSTS).items()}
    assert len(held) <= size
    for status_id in set(likes):
        count = likes.count(status_id)
        if count > len(likes) / size:
            assert status_id in held
        if status_id in held:
            assert count - 1e-6 <= held[status_id] <= count + len(likes) / size + 1e-6


def test_only_so_many_people_are_remembered_and_what_is_older_counts_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shrink(monkeypatch)
    for user_id in range(5):
        assert like(1, user_id, ms=user_id)
    (memory,) = keys_of_the_test("trending:*:people:1")
    assert get_client().zcard(memory) == 3
    assert not like(1, 4, ms=4)
    assert not like(1, 0, ms=0), "it counted already, and was forgotten"
    assert scores(POSTS)["1"] == pytest.approx(log2(5), abs=1e-6)


def test_people_are_forgotten_in_time() -> None:
    like(1, 7)
    use_tag("tea", 7)
    seconds = {name.split(":")[3]: get_client().ttl(name) for name in keys_of_the_test("*people*")}
    assert 0 < seconds["tags"] <= 24 * 3600 < seconds["posts"] <= 7 * 24 * 3600


def test_tags_say_how_many_people_used_them_today() -> None:
    for user_id in (1, 2, 3):
        use_tag("Tea", user_id, ms=0)
        use_tag("Tea", user_id, ms=2 * HOUR)
    use_tag("TEA", 1, ms=20 * HOUR)
    use_tag("cake", 1, ms=20 * HOUR)
    now = int(START) + 25 * HOUR
    tags = {tag.name: tag for tag in store.trending_tags(10, now_ms=now)}
    assert (tags["tea"].people, tags["tea"].written) == (3, "TEA")
    assert tags["cake"].people == 1
    later = store.trending_tags(10, now_ms=now + 10 * HOUR)
    assert [(tag.name, tag.people) for tag in later] == [("tea", 1), ("cake", 1)]
    assert store.trending_tags(10, now_ms=now + 40 * HOUR) == [], "nobody used them that day"


def test_only_the_highest_tags_are_told() -> None:
    for people, tag in enumerate("abcd", start=1):
        for user_id in range(people):
            use_tag(tag, user_id)
    tags = store.trending_tags(2, now_ms=int(START))
    assert [tag.name for tag in tags] == ["d", "c"]


def test_a_crowd_is_told_as_more_than_can_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)
    for user_id in range(5):
        use_tag("tea", user_id, ms=user_id)
    (tag,) = store.trending_tags(10, now_ms=int(START) + HOUR)
    assert (tag.people, tag.has_more_people) == (3, True)


def test_reading_takes_one_round_trip() -> None:
    use_tag("tea", 7)
    like(1, 7)
    for read in (partial(store.trending_tags, 10), store.popular):
        read()
        with counting_round_trips() as trips:
            read()
        assert len(trips) == 1


def test_lost_boards_start_over() -> None:
    like(1, 7)
    start_over()
    assert store.popular() == []
    assert store.trending_tags(10) == []
    assert like(1, 7)
    assert [it.id for it in store.popular()] == [1]


def test_a_lost_board_alone_starts_over_with_those_who_have_not_counted() -> None:
    like(1, 7)
    get_client().delete(keys.trending("posts"))
    assert not like(1, 7)
    assert like(1, 8)
    assert scores(POSTS)["1"] == pytest.approx(0)


def test_everything_lives_in_one_slot() -> None:
    use_tag("tea", 7)
    like(1, 7)
    names = keys_of_the_test("trending:*")
    assert len(names) == 5
    assert len({key_slot(name.encode()) for name in names}) == 1


def test_pages_below_a_score_have_no_repeats_while_posts_rise() -> None:
    for status_id in range(1, 7):
        like(status_id, 7, ms=status_id)
    first = store.popular()[:3]
    assert [it.id for it in first] == [6, 5, 4]
    like(5, 8, ms=10)
    like(2, 8, ms=10)
    rest = store.popular(below=first[-1].score)
    assert [it.id for it in rest] == [3, 1], "the one that rose is above"


def test_likes_of_one_millisecond_score_differently() -> None:
    """A cursor between them must not swallow one."""
    batch = Batch(get_client())
    for number in range(4):
        event_id = event_at(5) + number
        store.count_post(batch, number, "like", user_id=7, event_id=event_id)
    batch.run()
    assert [it.id for it in store.popular()] == [3, 2, 1, 0]
    assert len({it.score for it in store.popular()}) == 4


def test_no_two_posts_score_the_same() -> None:
    """A score is the cursor of a page: of two that are equal, one would be left out."""
    batch = Batch(get_client())
    for number in range(200):
        count_post(batch, number, "like", user_id=9, event_id=event_at(0) + number)
    batch.run()
    assert len(set(scores(POSTS).values())) == 200
