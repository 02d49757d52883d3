"""Finding people by what their profiles say: sets in Redis, kept right while people change."""

from collections.abc import Iterable, Iterator

import pytest
from pytest_django import Settings

from redistools import keys
from redistools.chunks import chunks
from redistools.client import get_client
from redistools.serving_copy import stores
from relations.services import follow
from search.interests import finding, sets
from search.interests.asking import asked_for
from search.interests.checking import TermSets
from tags.interests.services import change_interests
from tags.models import Tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.races import in_threads
from tests.redis_keys import keys_of_the_test
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import delete_account, restore, silence, suspend, unsilence


@pytest.fixture(autouse=True)
def many_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a handful of people is found by Redis."""
    monkeypatch.setattr(finding, "FEW", 0)


@pytest.fixture
def people(transactional_db: None) -> dict[str, User]:
    """Each has fewer followers than the one before."""
    profiles = {
        "all": "python redis go rust c lang:zh lang:en",
        "four": "python redis go rust lang:en",
        "three": "python redis go lang:zh",
        "two": "python redis lang:zh",
        "one": "python",
        "none": "cats lang:zh",
    }
    made = {name: make_user(name, followers_count=9 - n) for n, name in enumerate(profiles)}
    for name, profile in profiles.items():
        put(made[name], profile)
    drain()
    return made


def put(user: User, profile: str) -> None:
    asked = asked_for([profile])
    names = [it for it in profile.split() if not it.startswith("lang:")]
    change_interests(user=user, names=names, languages=asked.languages)


def found(query: str, viewer: User | None = None, least: int | None = None) -> list[str]:
    asked = asked_for([query], least=least)
    ids = finding.find(asked, viewer=viewer, limit=50)
    matching = [it.user_id for it in finding.matches_of(ids, asked)]
    return [User.objects.get(pk=it).username for it in matching]


def agrees_with_sql() -> bool:
    kinds = [it for it in stores() if isinstance(it, TermSets)]
    assert len(kinds) == 2
    return not [
        difference
        for store in kinds
        for difference in store.differences(
            [None] if store.about.rows is None else list(store.about.rows())
        )
    ]


def names_of(terms: Iterable[sets.Term]) -> list[str]:
    return [sets.name_of(it, term) for term in terms for it in sets.partitions()]


def tag_id(name: str) -> int:
    return Tag.objects.get(name=name).pk


def test_all_of_some_tags(people: dict[str, User]) -> None:
    assert found("#python #redis #go") == ["all", "four", "three"]
    assert found("#Python #REDIS lang:zh") == ["all", "three", "two"]
    assert found("#cats") == ["none"]
    assert found("#python #cats") == []
    assert found("#python #nobodyhasit") == []
    assert found("lang:zh") == []


def test_at_least_some_of_them_and_who_has_more_comes_first(people: dict[str, User]) -> None:
    query = "#python #redis #go #rust #c"
    assert found(query, least=3) == ["all", "four", "three"]
    assert found(query + " lang:zh", least=2) == ["all", "three", "two"]
    assert found("#cats #python #redis lang:zh", least=2) == ["all", "three", "two"]
    User.objects.filter(username="three").update(followers_count=99)
    assert found(query, least=1) == ["all", "four", "three", "two", "one"]
    assert found("#python #cats #nobodyhasit", least=1)[0] == "three"
    assert found("#python #nobodyhasit #noreither", least=2) == []


def test_few_are_counted_by_sql_and_redis_keeps_nothing(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "FEW", 100)
    assert found("#python #redis #go", least=2) == ["all", "four", "three", "two"]
    assert found("#python #redis #go lang:zh", least=2) == ["all", "three", "two"]
    assert keys_of_the_test("interests:*") == []


def test_a_lost_set_is_read_again(people: dict[str, User]) -> None:
    query = "#python #redis lang:zh"
    assert found(query) == ["all", "three", "two"]
    get_client().delete(sets.name_of(keys.partition(people["three"].pk), tag_id("python")))
    assert found(query) == ["all", "three", "two"]
    get_client().delete(*keys_of_the_test("interests:*"), *keys_of_the_test("speakers:*"))
    assert found(query) == ["all", "three", "two"]
    assert agrees_with_sql()


def test_what_redis_knows_costs_one_round_trip(people: dict[str, User]) -> None:
    asked = asked_for(["#python #redis #go lang:zh"], least=2)
    finding.find(asked, viewer=None, limit=9)
    with counting_round_trips() as trips:
        finding.find(asked, viewer=None, limit=9)
    assert len(trips) == 1


def test_a_changed_profile_counts_at_once(people: dict[str, User]) -> None:
    assert found("#python #redis") == ["all", "four", "three", "two"]
    put(people["two"], "redis dogs lang:zh")
    put(people["none"], "python redis")
    assert found("#python #redis") == ["all", "four", "three", "none"]
    assert agrees_with_sql()


def test_who_leaves_is_in_no_set(people: dict[str, User]) -> None:
    assert found("#python lang:zh") == ["all", "three", "two"]
    number = str(sets.number_of(people["all"].pk))
    names = names_of([tag_id("python"), "zh"])
    assert any(get_client().sismember(name, number) for name in names)
    partition = keys.partition(people["all"].pk)
    delete_account(user=people["all"])
    drain()
    for term in (tag_id("python"), "zh"):
        assert not get_client().sismember(sets.name_of(partition, term), number)
    assert found("#python lang:zh") == ["three", "two"]
    assert agrees_with_sql()


def test_who_is_hidden_is_not_found_until_they_are_back(
    people: dict[str, User], carol: User
) -> None:
    follow(follower=carol, followee=people["four"])
    suspend(user=people["all"])
    silence(user=people["four"])
    assert found("#python #redis #go") == ["three"]
    assert found("#python #redis #go", carol) == ["four", "three"]
    restore(user=people["all"])
    unsilence(user=people["four"])
    assert found("#python #redis #go") == ["four", "all", "three"]


def test_what_redis_says_wrongly_is_not_shown(people: dict[str, User]) -> None:
    """After it has lost its last moments."""
    assert found("#cats") == ["none"]
    one = people["one"].pk
    get_client().sadd(sets.name_of(keys.partition(one), tag_id("cats")), sets.number_of(one))
    assert not agrees_with_sql()
    assert found("#cats") == ["none"]
    assert agrees_with_sql()


def test_what_changes_while_a_set_is_read_counts(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    term, read, changes = (
        tag_id("python"),
        sets.in_sql,
        iter([("two", "redis"), ("none", "python")]),
    )

    def read_and_then(asked: sets.Term) -> object:
        members = read(asked)
        for name, profile in changes:
            put(people[name], profile)
            break
        return members

    monkeypatch.setattr(sets, "in_sql", read_and_then)
    sets.load([term])
    monkeypatch.undo()
    assert next(changes, None) is None
    assert agrees_with_sql()
    assert held(term) == {"all", "four", "three", "one", "none"}


def held(term: sets.Term) -> set[str]:
    users = {
        sets.user_of(int(number), partition)
        for partition in sets.partitions()
        for number in get_client().smembers(sets.name_of(partition, term))
        if int(number) != sets.MARK
    }
    return set(User.objects.filter(pk__in=users).values_list("username", flat=True))


def test_a_set_that_lost_a_part_while_it_was_read_is_read_again(
    people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a restart of Redis that lost the last moments."""
    losses = iter([1])

    def but_one(items: Iterable[int], size: int) -> Iterator[list[int]]:
        """Loses the last part, once."""
        some = list(chunks(items, 1))
        yield from some[: -next(losses, 0) or None]

    monkeypatch.setattr(sets, "chunks", but_one)
    sets.load([tag_id("python")])
    assert next(losses, None) is None
    assert agrees_with_sql()
    assert held(tag_id("python")) == {"all", "four", "three", "two", "one"}


def test_many_changes_at_once_leave_the_sets_right(people: dict[str, User]) -> None:
    profiles = ["python redis", "go", "python lang:zh", "", "redis go lang:zh lang:en"]
    work = [(user, profile) for profile in profiles * 2 for user in people.values()]

    def change() -> None:
        while work:
            user, profile = work.pop()
            put(user, profile)
            found("#python #redis #go lang:zh", least=1)

    in_threads(3, change)
    drain()
    assert agrees_with_sql()
    assert keys_of_the_test("interest_load:*") == keys_of_the_test("interest_part:*") == []


def test_numbers_are_small_and_lead_back(settings: Settings) -> None:
    settings.PARTITIONS = 16
    for user_id in (1, 15, 16, 17, 999_999, 1_048_559, 40_000_000):
        number = sets.number_of(user_id)
        assert sets.user_of(number, keys.partition(user_id)) == user_id
    assert sets.number_of(1) > sets.MARK
    assert sets.number_of(1_000_000) < 2**15


def test_of_very_many_those_with_low_numbers_are_found(settings: Settings) -> None:
    """They are put into Redis alone: five thousand people, every second of whom has both tags."""
    settings.PARTITIONS = 1
    numbers = [sets.number_of(user_id) for user_id in range(1, 10_001)]
    for term, step in ((1, 1), (2, 2), (3, 2), ("zh", 1)):
        for some in chunks(numbers[::step], 1_000):
            get_client().sadd(sets.name_of(0, term), sets.MARK, *some)
    lowest = set(range(1, 4_096, 2))
    (some,) = sets.find([1, 2], [], least=2, most=200)
    assert len(some) == 200
    assert lowest.issuperset(some)
    some, more, others = sets.find([1, 2, 3], ["zh"], least=1, most=3_000)
    assert set(some) == lowest
    assert (more, len(others)) == ([], 3_000 - len(some))
    get_client().srem(sets.name_of(0, 2), *numbers[:4_100])
    (some,) = sets.find([1, 2], [], least=2, most=200)
    assert len(some) == 200
    assert set(range(4_101, 10_001, 2)).issuperset(some)
