"""The lists in Redis of who is offered first, kept right while people change."""

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import stores
from relations.services import follow
from search import people
from search.completion import checking, lists, offering
from search.completion.lists import Everybody, Lists
from search.completion.names import NAMES, PeopleByFollowers
from search.completion.packing import Runs, packed, unpacked
from search.completion.ranking import Rank, is_exact, level
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import change_profile, delete_account, restore, silence, suspend, unsilence
from users.store import refresh_users


@pytest.fixture(autouse=True)
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SHARED_BY", 4), ("KEPT", 4), ("LEAST", 2)):
        monkeypatch.setattr(lists, name, size)


@pytest.fixture
def twins(transactional_db: None) -> list[User]:
    """The first has the most followers; the list has the first four."""
    return [make_user(f"twin{n}", name=f"Twin {n}", followers_count=9 - n) for n in range(6)]


def held(beginning: str) -> list[str] | None:
    """The names in the list that Redis has."""
    text = get_client().hget(keys.names(beginning), beginning)
    listed = None if text is None else unpacked(str(text))
    if listed is None:
        return None
    return [User.objects.get(pk=it).username for it in listed.ids]


def ask(beginning: str, viewer: User) -> list[str]:
    return [it.username for it in offering.people(viewer, beginning)]


def agrees_with_sql() -> bool:
    found = [it for it in stores() if isinstance(it, checking.ListsStore)]
    return not any(list(store.differences([None])) for store in found)


def test_levels_are_a_tenth_apart() -> None:
    assert [level(it) for it in range(21)] == list(range(21))
    assert level(22) == level(20) + 1 == level(21) + 1
    assert level(1_000) <= level(1_099) <= level(1_000) + 1
    assert level(2**31 - 1) < 128**2


def test_a_packed_list_is_text_and_reads_the_same_again() -> None:
    ranks = [Rank(level(5), 2**34 + 7), Rank(3, 128), Rank(0, 1)]
    text = packed(Rank(300, 2**33), ranks)
    assert text.isascii()
    assert len(text) == 3 + 6 * 4
    assert unpacked(text) == (Rank(300, 2**33), [2**34 + 7, 128, 1])


def test_small_ids_take_less_room() -> None:
    ranks = [Rank(1, 1_000_000 - n) for n in range(50)]
    assert len(packed(ranks[-1], ranks)) == 3 + 3 * 51


@pytest.mark.parametrize("text", ["09af37", "", "\0", "\1", "\2\0\0abc", "\x7f" * 9, "\1\0\0é"])
def test_a_mark_is_no_list(text: str) -> None:
    assert unpacked(text) is None


def test_a_list_knows_whose_order_the_counts_decide() -> None:
    ranks = [
        Rank(30, 9),
        Rank(30, 4),
        Rank(29, 5),
        Rank(20, 7),
        Rank(20, 3),
        Rank(9, 6),
        Rank(9, 2),
    ]
    assert not is_exact(20)
    assert is_exact(9)
    assert list(Runs(packed(Rank(9, 2), ranks))) == [[9, 4], [5], [7, 3], [6], [2]]


def test_a_list_leaves_out_the_last_if_others_below_it_may_have_as_many() -> None:
    ranks = [Rank(30, 9), Rank(20, 7), Rank(20, 3)]
    assert list(Runs(packed(Rank(20, 3), ranks))) == [[9]]
    assert list(Runs(packed(Rank(19, 3), ranks))) == [[9], [7, 3]]


def test_a_list_may_be_read_in_part_and_again() -> None:
    runs = Runs(packed(Rank(1, 1), [Rank(9, 5), Rank(8, 4)]))
    assert next(iter(runs)) == [5]
    assert [*runs] == [*runs] == [[5], [4]]


def test_readers_take_no_more_runs_than_they_need() -> None:
    everybody = Everybody([[1], [2, 3], [4]], whole=True)
    assert list(everybody.first(2)) == [[1], [2, 3]]
    assert list(everybody.first(9)) == [[1], [2, 3], [4]]
    assert list(everybody.first(0)) == []


def test_only_what_many_share_is_kept(twins: list[User], carol: User) -> None:
    User.objects.filter(pk__in=[twins[4].pk, twins[5].pk]).update(name="Other")
    for user in User.objects.filter(name="Other"):
        user.save(update_fields=["name"])
    assert ask("@twin", carol)[:4] == ["twin0", "twin1", "twin2", "twin3"]
    assert held("twin") == ["twin0", "twin1", "twin2", "twin3"]
    assert ask("@oth", carol) == ["twin4", "twin5"]
    assert held("oth") is None


def test_beyond_its_list_sql_goes_on(twins: list[User], carol: User) -> None:
    ask("@twin", carol)
    assert ask("@twin", carol) == [f"twin{n}" for n in range(6)]


def test_of_one_level_the_newest_come_first(transactional_db: None) -> None:
    counts = [103, 112, 104, 107, 105, 103]
    people = [make_user(f"even{n}", followers_count=count) for n, count in enumerate(counts)]
    assert len({level(count) for count in counts}) == 1
    assert [it.id for it in NAMES.ranking.best(["even"], 4)] == [it.pk for it in people[:1:-1]]
    star = make_user("evening", followers_count=200)
    assert [it.id for it in NAMES.ranking.best(["even"], 2)] == [star.pk, people[-1].pk]
    assert len(NAMES.ranking.best(["even"], 9)) == 7


def followed_by(user: User, count: int) -> None:
    User.objects.filter(pk=user.pk).update(followers_count=count)
    refresh_users([user.pk])


def test_within_a_step_the_counts_of_now_decide(carol: User) -> None:
    counts = {"evena": 300, "evenb": 107, "evenc": 104, "evend": 9, "evene": 3}
    made = {name: make_user(name, followers_count=it) for name, it in counts.items()}
    assert ask("@even", carol) == list(counts)
    assert held("even") == ["evena", "evenc", "evenb", "evend"]
    followed_by(made["evenb"], 103)
    assert ask("@even", carol) == ["evena", "evenc", "evenb", "evend", "evene"]
    assert held("even") == ["evena", "evenc", "evenb", "evend"]


def test_who_shares_the_step_of_the_floor_is_asked_in_sql(carol: User) -> None:
    """The list holds the newest four, of whom others may have more."""
    for number in range(6):
        make_user(f"even{number}", followers_count=112 - number)
    assert held("even") is None
    for _ in range(2):
        assert ask("@even", carol) == [f"even{n}" for n in range(6)]
    assert held("even") == ["even5", "even4", "even3", "even2"]
    assert found("even") == [f"even{n}" for n in range(6)]


def found(query: str) -> list[str]:
    ids = people.find(query, viewer=None, limit=9)
    return [User.objects.get(pk=it).username for it in ids]


def test_a_keystroke_costs_one_command_for_everybody(twins: list[User], carol: User) -> None:
    ask("@twin", carol)
    with counting_round_trips() as trips:
        ask("@twi", carol)
        ask("@twin", carol)
    commands = [it for it in trips.sent if "names:" in str(it)]
    assert str(commands).count("names:") == 2 + 2  # of the first, also a mark and the list


def test_all_beginnings_of_a_letter_lie_in_one_slot() -> None:
    tags = {keys.names(it).partition("}")[0] for it in ("t", "tw", "twin", "twins")}
    assert len(tags) == 1
    assert len({keys.names(f"t{n}") for n in range(500)}) > 100


def test_a_new_follower_moves_somebody_up(twins: list[User], carol: User) -> None:
    ask("@twin", carol)
    for fan in (carol, *twins[:3]):
        follow(follower=fan, followee=twins[4])
    drain()
    assert held("twin") == ["twin4", "twin0", "twin1", "twin2"]
    assert agrees_with_sql()


def test_a_step_of_less_than_a_tenth_starts_nothing(
    twins: list[User], carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=twins[0].pk).update(followers_count=100)
    ask("@twin", carol)
    drain()
    placed: list[int] = []
    monkeypatch.setattr(Lists, "place", lambda _, user_id, _former: placed.append(user_id))
    follow(follower=carol, followee=twins[0])
    drain()
    assert placed == []
    follow(follower=carol, followee=twins[1])
    drain()
    assert placed == [twins[1].pk]


def test_who_sinks_below_what_the_list_knows_leaves_it(twins: list[User], carol: User) -> None:
    """Others, whom it does not hold, may come first now."""
    ask("@twin", carol)
    User.objects.filter(pk=twins[1].pk).update(followers_count=0)
    NAMES.place(twins[1].pk)
    assert held("twin") == ["twin0", "twin2", "twin3"]
    User.objects.filter(pk=twins[5].pk).update(followers_count=5)
    NAMES.place(twins[5].pk)
    assert held("twin") == ["twin0", "twin2", "twin3"]
    assert agrees_with_sql()


def test_a_list_that_gets_short_is_loaded_again(twins: list[User], carol: User) -> None:
    ask("@twin", carol)
    suspend(user=twins[0])
    silence(user=twins[1])
    assert held("twin") == ["twin2", "twin3"]
    change_profile(user=twins[4], name="Twin", bio="")
    delete_account(user=twins[2])
    drain()
    assert held("twin") is None
    assert ask("@twin", carol) == ["twin3", "twin4", "twin5"]
    restore(user=twins[0])
    unsilence(user=twins[1])
    assert ask("@twin", carol) == ["twin0", "twin1", "twin3", "twin4", "twin5"]
    assert held("twin") == ["twin0", "twin1", "twin3", "twin4"]


def test_a_new_name_moves_somebody_to_other_lists(twins: list[User], carol: User) -> None:
    for user in twins[1:]:
        change_profile(user=user, name="Zoe", bio="")
    drain()
    assert ask("@zoe", carol)[0] == "twin1"
    change_profile(user=twins[0], name="Zoë", bio="")
    change_profile(user=twins[1], name="", bio="")
    drain()
    assert held("zoe") == ["twin0", "twin2", "twin3"]
    assert agrees_with_sql()


def test_a_load_is_not_kept_if_somebody_changes_meanwhile(
    twins: list[User], carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = PeopleByFollowers.best

    def best_and_then(ranking: PeopleByFollowers, terms: list[str], limit: int) -> list[Rank]:
        found = original(ranking, terms, limit)
        suspend(user=twins[0])
        return found

    monkeypatch.setattr(PeopleByFollowers, "best", best_and_then)
    NAMES.load("twin")
    assert held("twin") is None
    assert agrees_with_sql()


def test_what_changes_while_somebody_is_placed_counts(
    twins: list[User], carol: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A placement that changes nothing itself must not be undone by a slower one."""
    ask("@twin", carol)
    User.objects.filter(pk=twins[3].pk).update(followers_count=8)
    meanwhile, ranks_of = iter([6]), NAMES.ranking.ranks_of

    def ranks_and_then(_ranking: PeopleByFollowers, user_ids: set[int]) -> dict[int, Rank]:
        found = ranks_of(user_ids)
        for followers in meanwhile:
            User.objects.filter(pk=twins[3].pk).update(followers_count=followers)
            NAMES.place(twins[3].pk)
        return found

    monkeypatch.setattr(PeopleByFollowers, "ranks_of", ranks_and_then)
    NAMES.place(twins[3].pk)
    assert held("twin") == ["twin0", "twin1", "twin2", "twin3"]


def test_many_changes_at_once_leave_the_lists_right(twins: list[User], carol: User) -> None:
    fans = [make_user(f"fan{n}") for n in range(8)]
    ask("@twin", carol)
    work = [(fan, twin) for fan in fans for twin in twins[2:]]

    def fan_out() -> None:
        while work:
            fan, twin = work.pop()
            follow(follower=fan, followee=twin)
            NAMES.place(twin.pk)

    in_threads(4, fan_out)
    drain()
    assert agrees_with_sql()
    assert held("twin")


def test_what_a_list_says_wrongly_is_not_shown(twins: list[User], carol: User) -> None:
    """After Redis has lost its last moments."""
    ask("@twin", carol)
    bucket = keys.names("twin")
    before = str(get_client().hget(bucket, "twin"))
    User.objects.filter(pk=twins[0].pk).update(username="someone", name="Else")
    get_client().delete(keys.user(twins[0].pk))
    get_client().hset(bucket, "twin", before)
    assert "someone" not in ask("@twin", carol)
    assert held("twin") is None
