"""Every store in the register: anything lost or wrong in it is found and repaired."""

import io
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from django.conf import settings as site
from django.core.management import call_command
from pytest_django import Settings

from chats import counts as chat_counts
from chats import selectors as chats
from configuration.current import observer as settings_of_the_site
from lists.services import add_to_list, create_list
from lists.store import member_ids
from moderation.rules.current import observer as rules
from notifications import selectors as notifications
from redistools import keys, sealing
from redistools.client import get_client
from redistools.serving_copy import Scope, Store, held_among, register, stores
from relations.selectors import followers
from relations.services import follow, hide_boosts
from search import tags
from search.completion import lists, offering
from search.interests import finding
from search.interests.asking import asked_for
from search.interests.finding import find
from search.interests.sets import MARK
from search.tasks import count_tags
from statuses.reactions.services import bookmark, boost, like
from statuses.services import post_status
from statuses.store import find_statuses
from tags.interests.services import change_interests
from tags.models import Tag
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.cast import browser_of, make_user
from tests.chats.talking import pair, say
from tests.redis_keys import contents_of, keys_of_the_test, let_keys_age
from timelines.selectors import (
    addressees,
    home,
    list_timeline,
    mentions,
    profile,
    tag_timeline,
    with_replies,
)
from upkeep import checking
from users.models import User
from users.selectors import people
from users.services import suspend
from users.serving_copy import USERS

DOCUMENT = (site.BASE_DIR / "docs" / "redis-keys.md").read_text()
# The first words of keys that are no copies of SQL: they live for a while, or are the record.
NO_COPIES = {
    *("deleted", "rebuild_progress", "events", "queue", "outbox"),
    *("interest_load", "interest_part", "lowest_numbers"),
    *("memory", "ids", "lock", "semaphore", "rate", "cache"),
    *("page", "page_version"),
    *("series", "timings", "durations", "slowest", "totals", "levels", "log"),
    *("visitors", "visitor_key", "actives", "viewed"),
    *("places", "place_figures", "place_load"),
    *("trending", "important", "suggested", "suggestions_due", "noted_tags"),
}
# Copies inside SQL: what they count is there too.
IN_SQL = {
    *("user_counters", "status_counters", "groups", "index", "name_words"),
    *("search_entries", "stray_search_entries", "tag_uses"),
}
# Off in these tests; `tests/search/test_keeping_window.py` and `tests/insight/places` look at them.
OFF = {"search", "place_ranges"}
IN_REDIS = [store for store in stores() if store.kind not in IN_SQL | OFF]
IN_STRINGS = {"session", "viewpoint", "chat_counts"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "PATIENCE_SECONDS", 0)


@pytest.fixture(autouse=True)
def few_partitions(settings: Settings) -> None:
    """Checks and rebuilds read each of them, for every user."""
    settings.PARTITIONS = 3


@pytest.fixture(autouse=True)
def lists_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a handful of people has lists of names, and sets of interests."""
    monkeypatch.setattr(lists, "SHARED_BY", 0)
    monkeypatch.setattr(lists, "LEAST", 1)
    monkeypatch.setattr(finding, "FEW", 0)


@pytest.fixture(autouse=True)
def sealed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that what is written again can be compared with what was there."""
    monkeypatch.setattr(sealing, "os", SimpleNamespace(urandom=bytes))


@pytest.fixture
def stranger(alice: User, bob: User, carol: User, settings: Settings) -> User:
    """Nobody follows or lists zoe; every store holds something of the others."""
    settings.PULL_THRESHOLD = 1
    pulled, suspended, zoe = (make_user(name) for name in ("dave", "erin", "zoe"))
    User.objects.filter(pk=pulled.pk).update(is_pulled=True)
    follow(follower=bob, followee=pulled)
    suspend(user=suspended)
    reading = create_list(owner=carol, name="Reading")
    add_to_list(list_=reading, user=alice)
    for author in (pulled, bob, carol, zoe, alice):
        post_status(author=author, text=f"I am {author.username}")
    use_actions(alice, bob, carol)
    use_tags(bob, carol)
    say(pair(bob, carol), bob)
    use_the_site()
    drain()
    # A home that was built holds what a pulled author said before, one that got deliveries does
    # not; to readers they are the same.
    get_client().delete(*keys_of_the_test("home:*"))
    load_everything()
    return zoe


def use_actions(alice: User, bob: User, carol: User) -> None:
    """Likes, boosts and bookmarks of what alice said, and a reply to it."""
    (said,) = find_statuses(alice.statuses.values_list("pk", flat=True)).values()
    like(user=bob, status=said)
    bookmark(user=bob, status=said)
    boost(user=carol, status=said)
    for other in find_statuses(carol.statuses.values_list("pk", flat=True)[:1]).values():
        boost(user=alice, status=other)
    post_status(author=bob, text="indeed", reply_to=said.id)
    hide_boosts(follower=bob, followee=alice)


def use_tags(bob: User, carol: User) -> None:
    for user in (bob, carol):
        change_interests(user=user, names=["tea"], languages=["en"])
    post_status(author=carol, text="#Tea with @alice")
    follow_tag(user=bob, name="tea")
    drain()


def use_the_site() -> None:
    """Every reader and writer does something, so every copy is needed."""
    for observer in (settings_of_the_site, rules):
        observer.ask_again()
    for user in User.objects.filter(is_active=True):
        browser_of(user).get("/")
        offering.people(user, "@a")
        home(user)
        profile(user)
        with_replies(user)
        followers(user)
        notifications.everything(user)
        mentions(user)
        addressees(user)
        people([user.pk])
        chat_counts.counts_of(user.pk)
        for member in user.chats.select_related("chat"):
            chats.messages(member)
        for list_ in user.lists.all():
            list_timeline(list_)
            member_ids(user.pk, list_.pk)
    count_tags.call()
    for tag in Tag.objects.all():
        tag_timeline(tag)
        tags.find(tag.name[0], limit=1)
    find(asked_for(["#tea lang:en"]), viewer=None, limit=9)
    alice = User.objects.get(username="alice")
    post_status(author=alice, text="hello")


def rows_of(scope: Scope) -> list[Any]:
    return [None] if scope.rows is None else list(scope.rows())


def load_everything() -> None:
    for store in stores():
        store.load(rows_of(store.about))


def check(*options: str) -> tuple[int, str]:
    """Exit code and output."""
    out = io.StringIO()
    try:
        call_command("check_timelines", *options, stdout=out, stderr=io.StringIO())
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def held_by(store: Store) -> dict[str, Any]:
    """Its keys that hold something, and what that is."""
    held = contents_of(keys_of_the_test(f"{store.kind}:*"))
    nothing = (["0"], [("0", 0.0)], {str(MARK)})
    return {name: value for name, value in held.items() if value not in nothing}


class Damageable(NamedTuple):
    """One key of a store, which stands for all."""

    store: Store
    name: str
    held: Any

    @property
    def title(self) -> str:
        """What a check calls it."""
        rows = rows_of(self.store.about)
        return self.store.title(next(row for row in rows if self.name in self.store.names(row)))


def damageable(stranger: User) -> list[Damageable]:
    """None of zoe's, whose status belongs to nobody else, and no string, since strings are
    versions, which are never wrong.
    """
    hers = {name for it in stores(USERS) for name in it.names(stranger)}
    found: list[Damageable] = []
    for store in IN_REDIS:
        held = sorted(held_by(store).items())
        others = [(name, value) for name, value in held if name not in hers]
        wanted = [pair for pair in others if not isinstance(pair[1], str)][-1:]
        found += (Damageable(store, name, value) for name, value in wanted)
    assert {it.kind for it in IN_REDIS} - {it.store.kind for it in found} == IN_STRINGS
    return found


def contents_then_and_now(damaged: list[Damageable]) -> tuple[dict[str, Any], dict[str, Any]]:
    return {it.name: it.held for it in damaged}, contents_of([it.name for it in damaged])


def test_the_register_and_the_document_name_the_same_kinds() -> None:
    kinds = set(re.findall(r"^\| `(\w+)[:`]", DOCUMENT, re.MULTILINE))
    assert {store.kind for store in IN_REDIS} | NO_COPIES | OFF == kinds
    assert not {store.kind for store in IN_REDIS} & NO_COPIES


# One for the whole site, for each author whom very many follow, or for each interest.
FOR_EVER = {"suspended", "pull_authors", "pulled", "interests", "speakers"}


@pytest.mark.usefixtures("stranger")
def test_what_nobody_reads_any_more_leaves_redis() -> None:
    for store in IN_REDIS:
        ends = {int(get_client().ttl(name)) >= 0 for name in held_by(store)}
        assert ends == {store.kind not in FOR_EVER}, store.kind
    let_keys_age(32)
    assert {keys.kind(name) for name in keys_of_the_test()} & {
        it.kind for it in IN_REDIS
    } == FOR_EVER
    assert check()[0] == 0
    use_the_site()
    drain()
    assert check()[0] == 0


@pytest.mark.usefixtures("stranger")
def test_what_is_lost_is_unknown_and_loaded_right_when_next_read() -> None:
    """One store after the other, while Redis knows all the rest."""
    for store in IN_REDIS:
        before = held_by(store)
        assert before, f"{store.kind} has something to be lost"
        get_client().delete(*before)
        # Nor is what was loaded again after the last round.
        assert check()[0] == 0, f"{store.kind}: unknown is not wrong"
        use_the_site()
        drain()
        assert held_by(store), store.kind
    assert check()[0] == 0


def test_a_lost_key_is_loaded_as_it_was(stranger: User) -> None:
    for store, name, held in damageable(stranger):
        get_client().delete(name)
        store.load(rows_of(store.about))
        assert contents_of([name])[name] == held


def put_something_wrong(name: str, held: Any, foreign: int) -> None:
    client = get_client()
    if isinstance(held, dict):
        client.hset(name, "name", "Mallory")
    elif isinstance(held, set):
        client.sadd(name, 4711)
    elif isinstance(held[0], str):
        client.lpush(name, foreign)
    else:
        client.zadd(name, {str(foreign): foreign})


def lose_something(name: str, held: Any, _foreign: int) -> None:
    client = get_client()
    if keys.kind(name) in ("names", "tag_names"):
        # A list that is lost is unknown; one that lacks somebody is wrong.
        head, ids = held[max(held)][:3], held[max(held)][3:]
        client.hset(name, max(held), head + ids[ord(head[0]) :])
    elif isinstance(held, dict):
        client.hdel(name, max(held))
    elif isinstance(held, set):
        client.srem(name, max(held, key=int))
    elif isinstance(held[0], str):
        client.lpop(name)
    else:
        client.zpopmax(name)


DAMAGES: list[Callable[[str, Any, int], None]] = [put_something_wrong, lose_something]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_is_found_and_repaired(
    damage: Callable[[str, Any, int], None], stranger: User
) -> None:
    """In every store at once, and each is named."""
    foreign, damaged = stranger.statuses.get().pk, damageable(stranger)
    for _, name, held in damaged:
        damage(name, held, foreign)
    code, output = check()
    assert code == 1
    for it in damaged:
        line = rf"^{re.escape(it.title)}\b"
        assert re.search(line, output, re.MULTILINE), f"{it.name} goes unnoticed"
    assert check("--repair")[0] == 0
    assert check()[0] == 0, output
    load_everything()
    then, now = contents_then_and_now(damaged)
    assert now == then


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_rebuild_writes_again_what_is_wrong(
    damage: Callable[[str, Any, int], None], stranger: User
) -> None:
    foreign, damaged = stranger.statuses.get().pk, damageable(stranger)
    for _, name, held in damaged:
        damage(name, held, foreign)
    call_command("rebuild_timelines", stdout=io.StringIO())
    then, now = contents_then_and_now(damaged)
    assert now == then
    assert check()[0] == 0


def of_another_partition(name: str) -> str:
    """Of one that no longer exists."""
    tags = "|".join(map(keys.tag, range(site.PARTITIONS)))
    return re.sub(rf"\{{({tags})\}}", "{99}", name)


def of_nobody(name: str) -> str:
    return re.sub(r"\d+$", "4711", name)


def of_no_session(name: str) -> str:
    """The name ends in a digest, not in a number."""
    return re.sub(r"(:session:|^session:)\w+", r"\g<1>" + "0" * 64, name)


# There is one of each, and its name has no number.
OF_THE_SITE = {"suspended", "site", "rules"}
MISNAMES = (of_another_partition, of_nobody, of_no_session)


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize("command", [["check_timelines", "--repair"], ["rebuild_timelines"]])
def test_keys_that_belong_to_nothing_go(command: list[str]) -> None:
    """Of what was deleted, and of a time with more partitions."""
    names = [name for store in IN_REDIS for name in held_by(store)]
    wrong = {misname(name): name for name in names for misname in MISNAMES}
    strays = {stray: name for stray, name in wrong.items() if stray != name}
    assert {keys.kind(stray) for stray in strays} == {it.kind for it in IN_REDIS} - OF_THE_SITE
    for stray, name in strays.items():
        get_client().copy(name, stray)
    code, output = check()
    assert code == 1
    assert sorted(line.split(" ")[0] for line in output.splitlines()) == sorted(strays)
    call_command(*command, stdout=io.StringIO())
    drain()
    assert not held_among(strays)
    assert check()[0] == 0


def test_a_kind_is_registered_once() -> None:
    with pytest.raises(ValueError, match="kind 'user' already"):
        register(IN_REDIS[0])
