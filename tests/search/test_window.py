"""The window by itself: what is put into its segments, and what is found there."""

from collections.abc import Iterable, Sequence
from random import Random

import pytest

from redistools import keys
from redistools.client import get_binary_client, get_client
from search.index.wanted import Bounds, Wanted
from search.index.window import feeding, filling, reading
from statuses.words.terms import QueryTerms
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.search.finding import index_all
from tests.search.windows import keep_all, numbers, state, too_small_sets, window
from web.cursors import HIGHEST_ID

__all__ = ["window"]

ALL = Bounds(-1, HIGHEST_ID + 1)


@pytest.fixture(autouse=True)
def empty_window(transactional_db: None, window: None) -> None:
    index_all()
    keep_all()


def put(status_id: int, *terms: str) -> None:
    feeding.put([feeding.post(status_id, terms)])


def put_many(status_ids: Iterable[int], *terms: str) -> None:
    feeding.put(feeding.post(it, terms) for it in status_ids)


def wanted(needed: Sequence[str], refused: Iterable[str] = ()) -> Wanted:
    """`a|b` is one of both."""
    return Wanted(
        tuple(tuple(QueryTerms((it,)) for it in some.split("|")) for some in needed),
        tuple(QueryTerms((it,)) for it in refused),
    )


def find(*needed: str, refused: Sequence[str] = (), bounds: Bounds = ALL) -> list[int]:
    """All, in steps of three, as pages read them."""
    found: list[int] = []
    while True:
        some = reading.newest(wanted(needed, refused), bounds, 3)
        found += some.ids
        if len(some.ids) < 3:
            assert some.below <= bounds.above + 1, "SQL is not needed"
            return found
        bounds = bounds._replace(below=some.ids[-1])


def is_trusted() -> bool:
    return reading.newest(wanted(["tea"]), ALL, 1).below < ALL.below


def test_posts_are_found_by_all_of_their_terms_newest_first() -> None:
    put(5, "tea", "milk")
    put(7, "tea")
    put(9, "tea", "milk", "sugar")
    assert find("tea") == [9, 7, 5]
    assert find("tea", "milk") == [9, 5]
    assert find("sugar|milk") == [9, 5]
    assert find("tea", refused=["sugar"]) == [7, 5]
    assert find("tea", bounds=Bounds(5, 9)) == [7]
    assert find("coffee") == []


@pytest.mark.parametrize("count", [32, 33, 34])
def test_the_33rd_post_with_a_term_takes_it_out_of_its_bucket_into_a_set(count: int) -> None:
    put_many(range(1, count + 1), "tea")
    sets = [name for name in keys_of_the_test("search:*") if ":in:" in name]
    assert len(sets) == (count > 32)
    assert find("tea") == list(range(count, 0, -1))
    put(100, "tea", "milk")
    assert find("tea", "milk") == [100]
    assert find("tea", refused=["milk"]) == list(range(count, 0, -1))


def test_a_closed_segment_keeps_no_room_for_more_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 2_000)
    keep_room_small()
    put_many(range(1, 2_002), "tea")
    (closed,) = [it for it in numbers() if state(it)["ids"] == "2000"]
    ids = keys.search_segment(closed).replace(":state", ":ids")
    assert (get_client().memory_usage(ids) or 0) in range(7 * 2_000, 8 * 2_000)


def test_twice_is_once() -> None:
    def put_all() -> dict[str, object]:
        put_many(range(10, 40), "tea")
        put_many(range(15, 20), "milk")
        put(12, "tea", "sugar")
        names = [it for it in keys_of_the_test("search:*") if not it.endswith(("state", "edited"))]
        return {name: get_binary_client().dump(name) for name in names}

    once = put_all()
    assert put_all() == once
    assert find("tea") == list(range(39, 9, -1))


def test_what_comes_late_stands_where_it_belongs() -> None:
    put_many([10, 20, 30, 40], "tea")
    put(25, "tea")
    put(15, "tea")
    put(41, "tea")
    assert find("tea") == [41, 40, 30, 25, 20, 15, 10]
    assert find("tea", bounds=Bounds(15, 30)) == [25, 20]
    assert state(numbers()[0])["late"] == "2"


def test_a_full_segment_is_closed_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 4)
    keep_room_small()
    put_many(range(1, 12), "tea")
    firsts = [int(state(it)["first"]) for it in numbers()]
    assert firsts[:3] == [9, 5, 1]
    assert find("tea") == list(range(11, 0, -1))
    put(12, "tea")
    put(7, "milk")
    assert find("tea")[0] == 12
    assert find("milk") == [7]
    assert len({it.partition("}")[0] for it in keys_of_the_test("search:*:ids")}) > 1


def keep_room_small() -> None:
    """The window was opened with large segments."""
    filling.forget()
    keep_all()


def test_nobody_trusts_a_segment_that_takes_no_more_late_posts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feeding, "SPARE", 2)
    keep_room_small()
    put(90, "tea")
    put_many([70, 80], "tea")
    assert is_trusted()
    put(60, "tea")
    assert not is_trusted()


def test_an_edited_post_is_not_refused_for_what_it_said_before() -> None:
    put(5, "tea", "milk")
    put(6, "tea", "milk")
    put(5, "tea")
    assert find("tea", refused=["milk"]) == [5]
    assert find("milk") == [6, 5], "its text is compared later"


def test_what_is_hidden_is_not_found_until_it_is_put_again() -> None:
    put_many(range(1, 30), "tea")
    feeding.hide([3, 20, 4711])
    assert set(range(1, 30)) - set(find("tea")) == {3, 20}
    put(20, "tea")
    assert 20 in find("tea")


@pytest.mark.parametrize(
    "needed",
    [
        ((QueryTerms(("te",), is_open=True),),),
        tuple((QueryTerms((f"a{n}",)), QueryTerms((f"b{n}",))) for n in range(5)),
    ],
)
def test_only_sql_can_say_what_begins_with_something_or_has_many_alternatives(
    needed: tuple[tuple[QueryTerms, ...], ...],
) -> None:
    put(5, "tea")
    assert reading.newest(Wanted(needed), ALL, 3) == ([], ALL.below)


TERMS = ["every", "most", "half", "third", "some", "rare"]
SHARES = [1.0, 0.8, 0.5, 0.33, 0.05, 0.004]


@pytest.mark.parametrize("most_postings", [20_000, 1_500])
@pytest.mark.parametrize("seed", [1, 2])
def test_it_finds_what_a_look_at_every_post_finds(
    seed: int, most_postings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In three segments with several blocks, whatever is late, hidden or edited."""
    monkeypatch.setattr(feeding, "ROOM", 1_700)
    monkeypatch.setattr(reading, "MOST_POSTINGS", most_postings)
    keep_room_small()
    random = Random(seed)
    texts = {
        it: {term for term, share in zip(TERMS, SHARES, strict=True) if random.random() < share}
        for it in random.sample(range(1, 10**9), 4_000)
    }
    late = random.sample(sorted(texts), 60)
    feeding.put(feeding.post(it, texts[it]) for it in texts if it not in late)
    feeding.put(feeding.post(it, texts[it]) for it in late)
    hidden = random.sample(sorted(texts), 40)
    feeding.hide(hidden)
    for _ in range(60):
        counts = random.choice([[1], [2], [1, 1], [1, 2], [1, 1, 1]])
        needed = ["|".join(random.sample(TERMS, count)) for count in counts]
        refused = random.sample(TERMS[1:], random.choice([0, 0, 1]))
        lower, upper = sorted(random.sample(range(10**9), 2))
        bounds, limit = random.choice([ALL, Bounds(lower, upper)]), random.choice([1, 30, 400])
        right = sorted(
            (
                it
                for it, terms in texts.items()
                if it not in hidden
                and bounds.above < it < bounds.below
                and all(terms & set(some.split("|")) for some in needed)
                and not terms & set(refused)
            ),
            reverse=True,
        )[:limit]
        found = reading.newest(wanted(needed, refused), bounds, limit)
        assert found.ids == right, (needed, refused, bounds, limit)


def test_many_who_put_at_once_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeding, "ROOM", 40)
    monkeypatch.setattr(feeding, "SPARE", 400)
    keep_room_small()
    left = list(range(400, 0, -1))

    def work() -> None:
        while left:
            put_many([left.pop() for _ in range(min(4, len(left)))], "tea", "milk")

    in_threads(4, work)
    keep_all()
    assert find("tea", "milk") == list(range(400, 0, -1))
    assert len(numbers()) > 5


def test_posts_are_found_in_order_if_their_set_is_not_compact() -> None:
    """Some were put in while the server was set otherwise; sets stay as they became then."""
    with too_small_sets():
        put_many(range(1, 701), "tea", "milk")
    for needed in (["tea"], ["tea", "milk"], ["tea|milk"]):
        found = reading.newest(wanted(needed), ALL, 30)
        assert found.ids == list(range(700, 670, -1))
