from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from redis.exceptions import ResponseError

from redistools import keys
from redistools.client import get_client
from redistools.ids import EPOCH, EPOCH_MS, IdSequence, first_id_at, time_of
from tests.races import in_processes, in_threads

NOON = EPOCH_MS + 12 * 3600 * 1000


def no_rows() -> int:
    return 0


def make_ids(sequence: IdSequence, count: int) -> list[int]:
    client = get_client()
    return [sequence.next(client) for _ in range(count)]


def make_ids_of_a_new_process(count: int) -> list[int]:
    return make_ids(IdSequence("statuses", floor=no_rows), count)


def rise(ids: list[int]) -> bool:
    return all(earlier < later for earlier, later in pairwise(ids))


def test_ids_of_eight_processes_never_repeat_and_each_sees_them_rise() -> None:
    ids_of_each = in_processes(8, make_ids_of_a_new_process, 2_000)
    assert len({id_ for ids in ids_of_each for id_ in ids}) == 16_000
    assert all(rise(ids) for ids in ids_of_each)


def test_threads_of_one_process_share_a_sequence() -> None:
    sequence = IdSequence("statuses", floor=no_rows)
    ids_of_each = in_threads(8, make_ids, sequence, 250)
    assert len({id_ for ids in ids_of_each for id_ in ids}) == 2_000
    assert all(rise(ids) for ids in ids_of_each)


def test_two_processes_in_the_same_millisecond_get_different_ids() -> None:
    alices, bobs = (IdSequence("statuses", floor=no_rows) for _ in range(2))
    first = alices.next(get_client(), now_ms=NOON)
    assert bobs.next(get_client(), now_ms=NOON) == first + 1


def test_an_id_tells_when_it_was_made() -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    id_ = IdSequence("statuses", floor=no_rows).next(get_client())
    assert before <= time_of(id_) <= datetime.now(UTC)


@pytest.mark.parametrize(
    "moment",
    [
        EPOCH,
        datetime(2025, 2, 28, 23, 59, 59, 999_000, tzinfo=UTC),
        datetime(2093, 9, 6, tzinfo=UTC),
    ],
)
def test_the_first_id_at_a_moment_was_made_then_and_the_one_before_earlier(
    moment: datetime,
) -> None:
    first = first_id_at(moment)
    assert time_of(first) == moment
    assert time_of(first - 1) < moment
    assert first < 2**53


def test_a_moment_within_a_millisecond_includes_all_ids_of_that_millisecond() -> None:
    moment = datetime(2025, 1, 1, microsecond=1_999, tzinfo=UTC)
    assert time_of(first_id_at(moment)) == moment.replace(microsecond=1_000)


def test_no_id_is_older_than_the_epoch() -> None:
    assert first_id_at(EPOCH - timedelta(days=1)) == 0


def test_ids_rise_when_the_clock_steps_back() -> None:
    sequence = IdSequence("statuses", floor=no_rows)
    first = sequence.next(get_client(), now_ms=NOON)
    assert first == 12 * 3600 * 1000 << 12
    assert sequence.next(get_client(), now_ms=NOON - 60_000) == first + 1
    assert sequence.next(get_client(), now_ms=NOON + 1) == first + 4096


def test_more_ids_than_a_millisecond_holds_run_ahead_of_the_clock() -> None:
    sequence = IdSequence("statuses", floor=no_rows)
    ids = [sequence.next(get_client(), now_ms=NOON) for _ in range(4_098)]
    assert ids == list(range(ids[0], ids[0] + 4_098))


def test_ids_of_a_lost_sequence_stay_above_those_in_sql() -> None:
    rows = [IdSequence("statuses", floor=no_rows).next(get_client(), now_ms=NOON)]
    get_client().delete(keys.id_sequence("statuses"))
    newcomer = IdSequence("statuses", floor=lambda: max(rows))
    assert newcomer.next(get_client(), now_ms=NOON - 60_000) == rows[-1] + 1


def test_a_running_process_asks_sql_again_when_the_sequence_is_lost() -> None:
    rows = [0]
    sequence = IdSequence("statuses", floor=lambda: max(rows))
    sequence.next(get_client(), now_ms=NOON)
    rows.append(sequence.next(get_client(), now_ms=NOON) + 500)  # another process wrote this one
    get_client().delete(keys.id_sequence("statuses"))
    assert sequence.next(get_client(), now_ms=NOON) == rows[-1] + 1


def test_a_process_stays_above_its_own_ids_that_are_not_in_sql_yet() -> None:
    sequence = IdSequence("statuses", floor=no_rows)
    made = sequence.next(get_client(), now_ms=NOON)
    get_client().delete(keys.id_sequence("statuses"))
    assert sequence.next(get_client(), now_ms=NOON - 60_000) > made


def test_a_process_stays_above_its_own_ids_when_redis_remembers_older_ones() -> None:
    sequence = IdSequence("statuses", floor=no_rows)
    made = sequence.next(get_client(), now_ms=NOON)
    get_client().set(keys.id_sequence("statuses"), made - 9_000)
    assert sequence.next(get_client(), now_ms=NOON - 60_000) > made


def test_sql_is_asked_once_and_then_only_on_request() -> None:
    questions = iter(range(10))
    sequence = IdSequence("statuses", floor=lambda: next(questions))
    for _ in range(3):
        sequence.next(get_client())
    assert next(questions) == 1
    sequence.next(get_client(), ask_sql=True)
    assert next(questions) == 3


def test_after_a_collision_the_caller_can_lift_the_sequence_above_sql() -> None:
    rows = [0]
    sequence = IdSequence("statuses", floor=lambda: max(rows))
    rows.append(sequence.next(get_client(), now_ms=NOON) + 7)
    assert sequence.next(get_client(), now_ms=NOON) < rows[-1]
    assert sequence.next(get_client(), now_ms=NOON, ask_sql=True) == rows[-1] + 1


def test_sequences_of_two_names_do_not_touch_each_other() -> None:
    IdSequence("statuses", floor=lambda: 2**52).next(get_client(), now_ms=NOON)
    other = IdSequence("lists", floor=no_rows).next(get_client(), now_ms=NOON)
    assert other == 12 * 3600 * 1000 << 12


def test_ids_are_exact_up_to_the_last_and_then_refused() -> None:
    sequence = IdSequence("statuses", floor=lambda: 2**53 - 3)
    assert sequence.next(get_client()) == 2**53 - 2
    assert sequence.next(get_client()) == 2**53 - 1
    with pytest.raises(ResponseError, match="used up"):
        sequence.next(get_client())
