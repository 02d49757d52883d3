import pytest

from redistools import rate_limit
from redistools.client import get_client
from redistools.rate_limit import RateLimit
from redistools.scripts import Script
from tests.races import in_processes, in_threads
from tests.redis_keys import keys_of_the_test

NOW = 1_700_000_000_000


def logins(limit: int = 3, window: float = 60) -> RateLimit:
    return RateLimit(get_client(), "login", limit=limit, window=window)


def hit_often(times: int) -> int:
    return sum(logins(limit=100, window=600).hit("alice").allowed for _ in range(times))


def hit_in_threads() -> int:
    return sum(in_threads(4, hit_often, 20))


def test_many_processes_and_threads_share_one_limit() -> None:
    assert sum(in_processes(4, hit_in_threads)) == 100


def test_hits_are_allowed_up_to_the_limit() -> None:
    decisions = [logins().hit("alice", now_ms=NOW + n) for n in range(4)]
    assert [decision.allowed for decision in decisions] == [True, True, True, False]
    assert [decision.remaining for decision in decisions] == [2, 1, 0, 0]


def test_there_is_room_again_when_the_oldest_hit_leaves_the_window() -> None:
    for second in (0, 10, 20):
        logins().hit("alice", now_ms=NOW + second * 1000)
    assert not logins().hit("alice", now_ms=NOW + 59_999).allowed
    assert logins().hit("alice", now_ms=NOW + 60_000).allowed
    assert not logins().hit("alice", now_ms=NOW + 69_999).allowed


def test_a_refusal_tells_exactly_when_to_come_back() -> None:
    for second in (0, 10, 20):
        logins().hit("alice", now_ms=NOW + second * 1000)
    assert logins().hit("alice", now_ms=NOW + 25_500).retry_after == 34.5


def test_there_is_nothing_to_wait_for_while_there_is_room() -> None:
    assert logins().hit("alice").retry_after == 0


def test_a_refused_hit_does_not_count() -> None:
    for second in range(60):
        logins().hit("alice", now_ms=NOW + second * 1000)
    assert logins().hit("alice", now_ms=NOW + 60_000).allowed


def test_a_lowered_limit_waits_until_enough_hits_have_left() -> None:
    for second in (0, 10, 20):
        logins().hit("alice", now_ms=NOW + second * 1000)
    decision = logins(limit=1).hit("alice", now_ms=NOW + 20_000)
    assert (decision.allowed, decision.remaining, decision.retry_after) == (False, 0, 60)


def test_a_hit_that_is_given_back_does_not_count() -> None:
    for _ in range(10):
        attempt = logins().hit("alice")
        assert attempt.allowed
        logins().give_back(attempt)


def test_giving_back_twice_gives_back_once() -> None:
    first, _, _ = (logins().hit("alice") for _ in range(3))
    logins().give_back(first)
    logins().give_back(first)
    assert logins().hit("alice").allowed
    assert not logins().hit("alice").allowed


def test_giving_back_a_refused_hit_changes_nothing() -> None:
    for _ in range(4):
        attempt = logins().hit("alice")
    logins().give_back(attempt)
    assert not logins().hit("alice").allowed


def test_a_hit_that_is_sent_again_counts_once(key_prefix: str) -> None:
    """redis-py sends a command again when the connection broke before the answer came."""
    hit = Script(rate_limit.__file__, "rate_limit_hit")
    for _ in range(2):
        answer = hit(get_client(), [f"{key_prefix}hits"], ["the same hit", NOW, 2, 60_000])
        assert answer == [1, 1, 0]


def test_a_burst_is_refused_before_the_long_window_is_full() -> None:
    posts = RateLimit(get_client(), "post", limit=5, window=3600, per_minute=2)
    decisions = [posts.hit("alice", now_ms=NOW + n) for n in range(3)]
    assert [it.allowed for it in decisions] == [True, True, False]
    assert decisions[2].retry_after == 59.998
    later = [posts.hit("alice", now_ms=NOW + minute * 60_001) for minute in range(1, 5)]
    assert [it.allowed for it in later] == [True, True, True, False]
    assert later[3].retry_after == pytest.approx(3600 - 4 * 60.001)


def test_subjects_and_limits_are_counted_apart() -> None:
    for _ in range(3):
        logins().hit("alice")
    assert logins().hit("bob").allowed
    assert RateLimit(get_client(), "sign-up", limit=3, window=60).hit("alice").allowed


@pytest.mark.parametrize(
    "subject", ["", "x" * 1_000_000, "2001:db8::1", "a{b}c *?[", "зима\n\0", "\ud800"]
)
def test_a_subject_may_hold_anything_and_its_key_stays_short(subject: str) -> None:
    assert logins(limit=1).hit(subject).allowed
    assert not logins(limit=1).hit(subject).allowed
    (key,) = keys_of_the_test()
    assert len(key) < 60


def test_the_subject_can_not_be_read_from_redis() -> None:
    logins().hit("alice@example.org")
    (key,) = keys_of_the_test()
    assert "alice" not in key
    assert "alice" not in str(get_client().zrange(key, 0, -1))


def test_the_hits_are_gone_after_the_window() -> None:
    logins(window=60).hit("alice")
    (key,) = keys_of_the_test()
    assert 0 < get_client().pttl(key) <= 60_000


@pytest.mark.parametrize(("limit", "window"), [(0, 60), (1, 0)])
def test_a_limit_that_allows_nothing_is_refused(limit: int, window: float) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        logins(limit, window)
