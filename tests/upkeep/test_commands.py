import io
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from lists import store as lists
from lists.models import List
from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from redistools.lock import lock
from relations import store as edges
from relations.services import follow
from statuses.services import post_status
from tests.redis_keys import contents_of, keys_of_the_test
from timelines import pulled
from timelines.selectors import home, list_timeline, profile, with_replies
from upkeep import checking
from upkeep.rebuilding import RebuildProgress
from users import store as users
from users.models import User


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture
def community(alice: User, bob: User, carol: User) -> None:
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    lists.ensure_members(carol.pk, reading.pk)
    for user in (alice, bob, carol):
        home(user)
        edges.ensure_followers(user.pk)
        post_status(author=user, text=f"I am {user.username}")


def check(*options: str) -> tuple[int, str]:
    """Exit code and output."""
    out = io.StringIO()
    try:
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


@pytest.mark.usefixtures("community")
def test_a_sound_site_has_no_differences() -> None:
    assert check() == (0, "3 users, 3 statuses, 1 lists: Redis agrees with SQL\n")
    assert check("--sample", "2") == (0, "2 users, 2 statuses, 1 lists: Redis agrees with SQL\n")


@pytest.mark.parametrize("sample", ["0", "-1", "many"])
def test_a_sample_of_nothing_is_refused(sample: str) -> None:
    with pytest.raises(CommandError, match=f"must be a number of at least 1, got '{sample}'"):
        check(f"--sample={sample}")


def break_home(alice: User, bob: User) -> None:
    get_client().lpop(keys.home(bob.pk))


def break_profile(alice: User, bob: User) -> None:
    get_client().zremrangebyrank(keys.profile(alice.pk), -1, -1)


def break_following(alice: User, bob: User) -> None:
    get_client().zrem(keys.following(bob.pk), alice.pk)


def break_followers(alice: User, bob: User) -> None:
    get_client().zadd(keys.followers(3, alice.pk), {"4711": 5})


def break_user_hash(alice: User, bob: User) -> None:
    get_client().hset(keys.user(alice.pk), "followers", 99)


def break_counter(alice: User, bob: User) -> None:
    User.objects.filter(pk=alice.pk).update(statuses_count=99)


def break_status_hash(alice: User, bob: User) -> None:
    get_client().hset(keys.status(alice.statuses.get().pk), "html", "forged")


def break_list(alice: User, bob: User) -> None:
    owner = User.objects.get(username="carol")
    get_client().zadd(keys.list_members(owner.pk, owner.lists.get().pk), {str(bob.pk): 1})


DAMAGES = [
    (break_home, "home of @bob: 1 missing"),
    (break_profile, "profile of @alice: 1 missing"),
    (break_following, "following of @bob: 1 missing"),
    (break_followers, "followers of @alice in partition 3: 1 too many (4711)"),
    (break_user_hash, "hash of @alice differs"),
    (break_counter, "counters of @alice: statuses_count 99 instead of 1"),
    (break_status_hash, "hash of status"),
    (break_list, "members of list Reading of @carol: 1 too many"),
]


@pytest.mark.usefixtures("community")
def test_damage_is_told_and_repaired(alice: User, bob: User) -> None:
    for damage, _ in DAMAGES:
        damage(alice, bob)
    code, output = check()
    assert code == 1
    for _, told in DAMAGES:
        assert told in output
    assert check("--repair")[0] == 0
    assert check() == (0, "3 users, 3 statuses, 1 lists: Redis agrees with SQL\n")


LISTS = ("list", "members")
SERVING_COPY = (
    *("user", "following", "followers", "profile", "status", "home", "listed", "pulled"),
    *("pull_authors", *LISTS),
)
EMPTY = (["0"], [("0", 0.0)])


def serving_copy() -> dict[str, Any]:
    """Without what Redis knows to be empty: not knowing it is just as good."""
    names = [name for kind in SERVING_COPY for name in keys_of_the_test(f"{kind}:*")]
    return {name: held for name, held in contents_of(names).items() if held not in EMPTY}


def without_lists(copy: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in copy.items() if name.split(":")[1] not in LISTS}


def kinds(copy: dict[str, Any]) -> set[str]:
    return {name.split(":")[1] for name in copy}


def forge(name: str, held: Any) -> None:
    """Something that SQL never said."""
    client = get_client()
    if isinstance(held, dict):
        client.hset(name, mapping=dict.fromkeys(held, "4711"))
    elif isinstance(held[0], str):
        client.lset(name, 0, "4711")
    else:
        client.zadd(name, {"4711": 4711})


@pytest.fixture
def reading(community: None, alice: User, bob: User, carol: User) -> List:
    """A list that somebody reads, of a community whose follows go both ways."""
    follow(follower=alice, followee=bob)
    reading = carol.lists.get()
    list_timeline(reading)
    for user in (alice, bob, carol):
        profile(user)
        with_replies(user)
    return reading


def test_everything_comes_back_from_sql(reading: List) -> None:
    before = serving_copy()
    assert kinds(before) == {*SERVING_COPY} - {"pulled", "pull_authors"}, "all is there to be lost"
    get_client().delete(*(name for name in keys_of_the_test() if ":ids:" not in name))
    call_command("rebuild_timelines", "--all", stdout=io.StringIO())
    assert without_lists(serving_copy()) == without_lists(before)
    list_timeline(reading)
    assert serving_copy() == before


def test_everything_that_is_wrong_is_written_again(reading: List, alice: User) -> None:
    before = serving_copy()
    for name, held in before.items():
        forge(name, held)
    get_client().zadd(f"{keys.pulled(1)}{alice.pk}", {"4711": 4711})
    assert not [name for name, held in serving_copy().items() if held == before.get(name)]
    call_command("rebuild_timelines", stdout=io.StringIO())
    list_timeline(reading)
    assert serving_copy() == before


def test_a_home_that_nobody_reads_is_built_only_on_demand(reading: List, bob: User) -> None:
    get_client().delete(keys.home(bob.pk), keys.following(bob.pk))
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert get_client().exists(keys.home(bob.pk)) == 0
    assert get_client().exists(keys.following(bob.pk)) == 1, "needed by every page of theirs"
    call_command("rebuild_timelines", "--all", stdout=io.StringIO())
    assert get_client().exists(keys.home(bob.pk)) == 1


@pytest.mark.usefixtures("community")
def test_a_stopped_rebuild_goes_on_where_it_was(alice: User, bob: User, carol: User) -> None:
    get_client().delete(*(keys.user(user.pk) for user in (alice, bob, carol)))
    RebuildProgress().save("users", bob.pk)
    RebuildProgress().save("home", alice.pk)
    get_client().delete(*(keys.home(user.pk) for user in (alice, bob, carol)))
    call_command("rebuild_timelines", "--all", stdout=io.StringIO())
    assert get_client().exists(keys.user(alice.pk), keys.user(bob.pk)) == 0
    assert get_client().exists(keys.user(carol.pk)) == 1
    assert get_client().exists(keys.home(alice.pk)) == 0
    assert get_client().exists(keys.home(bob.pk), keys.home(carol.pk)) == 2
    assert [RebuildProgress().last(phase) for phase in ("statuses", "users", "home")] == [0, 0, 0]


@pytest.mark.usefixtures("community")
def test_one_user_is_rebuilt_by_name(alice: User, bob: User) -> None:
    break_profile(alice, bob)
    call_command("rebuild_timelines", "--user", "ALICE", stdout=io.StringIO())
    assert check()[0] == 0
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command("rebuild_timelines", "--user", "nobody")


@pytest.mark.usefixtures("reading")
def test_a_rebuild_knows_the_pulled_authors(alice: User, settings: Settings) -> None:
    settings.PULL_THRESHOLD = 1
    User.objects.filter(pk=alice.pk).update(is_pulled=True)
    get_client().delete(*keys_of_the_test("pull*"))
    call_command("rebuild_timelines", stdout=io.StringIO())
    client: Any = get_client()
    for partition in range(settings.PARTITIONS):
        assert client.zscore(keys.pull_authors(partition), alice.pk) == pulled.PULL
        assert client.zcard(f"{keys.pulled(partition)}{alice.pk}") == 2, "a status and the mark"


def test_a_rebuild_leaves_alone_who_is_just_changing_over(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_pulled=True)
    pulled.load(1, keys.pull_authors(1))
    pulled.set_mode(alice.pk, pulled.BOTH)
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert get_client().zscore(keys.pull_authors(1), alice.pk) == pulled.BOTH
    assert check()[0] == 0


def test_a_list_that_was_lost_to_its_member_is_fed_again(reading: List, alice: User) -> None:
    get_client().zrem(keys.listed(keys.partition(reading.owner_id), alice.pk), reading.pk)
    post_status(author=alice, text="unheard")
    assert "unheard" not in [status.text for status in list_timeline(reading)]
    assert check("--repair")[0] == 0
    post_status(author=alice, text="heard")
    shown = [status.text for status in list_timeline(reading)]
    assert shown == ["heard", "unheard", "I am alice"]
    assert check()[0] == 0


@pytest.mark.usefixtures("reading")
@pytest.mark.parametrize("partitions", [2, 40])
def test_other_partitions_leave_no_old_keys(partitions: int, settings: Settings) -> None:
    settings.PARTITIONS = partitions
    call_command("rebuild_timelines", stdout=io.StringIO())
    tags = {re.findall(r"\{(\w+)\}", name)[0] for name in serving_copy() if "{" in name}
    assert tags <= {keys.tag(partition) for partition in range(partitions)}
    assert check()[0] == 0


def test_one_rebuild_runs_at_a_time(alice: User) -> None:
    with lock(get_client(), "rebuild", timeout=30):
        for options in ([], ["--user", "alice"]):
            with pytest.raises(CommandError, match="Another rebuild is running"):
                call_command("rebuild_timelines", *options)
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert get_client().exists(keys.lock("rebuild")) == 0


def test_a_rebuild_that_lost_its_turn_stops(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh = users.refresh_users

    def stall(user_ids: list[int]) -> Any:
        get_client().delete(keys.lock("rebuild"))
        return refresh(user_ids)

    monkeypatch.setattr(users, "refresh_users", stall)
    with pytest.raises(CommandError, match=r"ran out after its 120 s\. Run it again"):
        call_command("rebuild_timelines")
    assert RebuildProgress().last("users") == bob.pk
