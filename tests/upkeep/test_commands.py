import io

import pytest
from django.core.management import CommandError, call_command

from lists.services import add_to_list, create_list
from redistools import keys
from redistools.client import get_client
from relations import store as edges
from statuses.services import post_status
from tests.redis_keys import keys_of_the_test
from timelines.selectors import home
from upkeep.management.commands import check_timelines
from upkeep.rebuilding import Progress
from users.models import User


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_timelines, "PATIENCE_SECONDS", 0)


@pytest.fixture
def community(alice: User, bob: User, carol: User) -> None:
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
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
    assert check() == (0, "3 users, 3 statuses: Redis agrees with SQL\n")
    assert check("--sample", "2") == (0, "2 users, 2 statuses: Redis agrees with SQL\n")


@pytest.mark.parametrize("sample", ["0", "-1", "many"])
def test_a_sample_of_nothing_is_refused(sample: str) -> None:
    with pytest.raises(CommandError, match=f"must be a number from 1 on, got '{sample}'"):
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


@pytest.mark.usefixtures("community")
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (break_home, "home of @bob: 1 missing"),
        (break_profile, "profile of @alice: 1 missing"),
        (break_following, "following of @bob: 1 missing"),
        (break_followers, "followers of @alice in partition 3: 1 too many (4711)"),
        (break_user_hash, "hash of @alice differs"),
        (break_counter, "counters of @alice: statuses_count 99 instead of 1"),
        (break_status_hash, "hash of status"),
        (break_list, "members of list Reading of @carol: 1 too many"),
    ],
)
def test_damage_is_told_and_repaired(damage: object, told: str, alice: User, bob: User) -> None:
    assert callable(damage)
    damage(alice, bob)
    code, output = check()
    assert code == 1
    assert told in output
    assert check("--repair")[0] == 0
    assert check() == (0, "3 users, 3 statuses: Redis agrees with SQL\n")


@pytest.mark.usefixtures("community")
def test_everything_comes_back_from_sql(bob: User) -> None:
    client = get_client()
    before = {name for name in keys_of_the_test() if ":home:" not in name}
    seen = [status.text for status in home(bob)]
    serving = [name for name in keys_of_the_test() if ":ids:" not in name]
    client.delete(*serving)
    call_command("rebuild_timelines", "--all", stdout=io.StringIO())
    assert check() == (0, "3 users, 3 statuses: Redis agrees with SQL\n")
    assert client.exists(keys.home(bob.pk)) == 1
    after = set(keys_of_the_test())
    lost = {name for name in before - after if ":queue:" not in name and ":deleted:" not in name}
    assert {name for name in lost if ":status:" in name or ":user:" in name} == set()
    assert [status.text for status in home(bob)] == seen


@pytest.mark.usefixtures("community")
def test_a_stopped_rebuild_goes_on_where_it_was(alice: User, bob: User, carol: User) -> None:
    get_client().delete(*(keys.user(user.pk) for user in (alice, bob, carol)))
    Progress().save("users", bob.pk)
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert get_client().exists(keys.user(alice.pk), keys.user(bob.pk)) == 0
    assert get_client().exists(keys.user(carol.pk)) == 1
    assert Progress().last("users") == 0, "the next one begins anew"


@pytest.mark.usefixtures("community")
def test_one_user_is_rebuilt_by_name(alice: User, bob: User) -> None:
    break_profile(alice, bob)
    call_command("rebuild_timelines", "--user", "ALICE", stdout=io.StringIO())
    assert check()[0] == 0
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        call_command("rebuild_timelines", "--user", "nobody")
