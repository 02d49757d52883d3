"""Which tags are offered first, and how their uses are counted."""

import pytest

from redistools import keys
from redistools.client import get_client
from redistools.serving_copy import stores
from search import tags
from search.completion import lists, tag_uses
from search.completion.packing import unpacked
from search.completion.tags import TAGS
from search.tasks import count_tags_of
from statuses.models import Status
from statuses.services import delete_status, edit_status, post_status
from tags.models import Tag
from tags.services import follow_tag
from taskqueue.drain import drain
from tests.round_trips import counting_round_trips
from tests.search.finding import count_tags
from users.audience import Visibility
from users.models import User
from users.services import (
    change_privacy,
    delete_account,
    restore,
    silence,
    suspend,
    unsilence,
)

NAMES = ("bear", "bee", "beetle", "beaver", "bergen", "berlin")


@pytest.fixture(autouse=True)
def tiny_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("SHARED_BY", 4), ("KEPT", 4), ("LEAST", 2)):
        monkeypatch.setattr(lists, name, size)


@pytest.fixture
def beasts(alice: User) -> User:
    """The last of the alphabet is used most, six times."""
    for number in range(len(NAMES)):
        post_status(author=alice, text=" ".join(f"#{it}" for it in NAMES[number:]))
    count()
    return alice


def count() -> None:
    """And nothing rises."""
    count_tags()
    get_client().unlink(keys.trending("tags"))


def find(query: str, limit: int = 8) -> list[str]:
    return [it.name for it in tags.find(query, limit=limit)]


def held(beginning: str) -> list[str] | None:
    text = get_client().hget(keys.tag_names(beginning), beginning)
    listed = None if text is None else unpacked(str(text))
    return listed and [Tag.objects.get(pk=it).name for it in listed.ids]


def uses(name: str) -> int:
    return Tag.objects.get(name=name).uses


def differences() -> list[str]:
    found = [it for it in stores() if it.kind in ("tag_names", "tag_uses")]
    ids = Tag.objects.values_list("pk", flat=True)
    return [str(it) for store in found for it in store.differences(store.about.find(ids))]


def test_the_most_used_come_first(beasts: User) -> None:
    assert find("#be", 3) == ["berlin", "bergen", "beaver"]
    assert held("be") == ["berlin", "bergen", "beaver", "beetle"]
    assert find("#be") == ["berlin", "bergen", "beaver", "beetle", "bee", "bear"]
    assert find("bee") == ["beetle", "bee"]
    assert held("bee") is None
    assert differences() == []


def test_within_a_step_the_counts_of_now_decide(beasts: User) -> None:
    for name, number in {"bear": 300, "beaver": 107, "bee": 104, "beetle": 9}.items():
        Tag.objects.filter(name=name).update(uses=number)
    assert find("be", 4) == ["bear", "beaver", "bee", "beetle"]
    assert held("be") == ["bear", "bee", "beaver", "beetle"]
    Tag.objects.filter(name="bee").update(uses=109)
    assert find("be", 3) == ["bear", "bee", "beaver"]


def test_those_that_rise_now_come_before_them(beasts: User, bob: User) -> None:
    post_status(author=bob, text="#Bear")
    count_tags()
    assert find("be", 2) == ["bear", "berlin"]


def test_of_tags_used_as_often_the_newest_come_first(alice: User) -> None:
    post_status(author=alice, text="#one")
    post_status(author=alice, text="#only")
    count()
    assert find("on") == ["only", "one"]


def test_a_keystroke_costs_one_round_trip(beasts: User) -> None:
    find("be")
    with counting_round_trips() as trips:
        find("be", 3)
    assert len(trips) == 1, trips.sent


def test_a_use_counts_while_everybody_may_see_it(beasts: User, bob: User) -> None:
    find("be")
    mine = post_status(author=bob, text="#bear #bear #Bear")
    others = [post_status(author=bob, text="#bear and more") for _ in range(6)]
    for audience in (Visibility.UNLISTED, Visibility.FOLLOWERS, Visibility.MENTIONED):
        post_status(author=bob, text="#bee", visibility=audience)
    count()
    assert (uses("bear"), uses("bee")) == (8, 2)
    assert held("be") == ["bear", "berlin", "bergen", "beaver"]
    delete_status(status=mine, by=bob)
    count()
    assert uses("bear") == 7
    edit_status(status=others[0], by=bob, text="#bee instead")
    count()
    assert (uses("bear"), uses("bee")) == (6, 3)
    delete_account(user=bob)
    count()
    assert (uses("bear"), uses("bee")) == (1, 2)
    assert find("be", 3) == ["berlin", "bergen", "beaver"]
    assert differences() == []


def hide(user: User, *, is_private: bool = True) -> None:
    change_privacy(user=user, is_private=is_private, default_visibility=Visibility.PUBLIC)


def show(user: User) -> None:
    hide(user, is_private=False)


@pytest.mark.parametrize(("out", "back"), [(suspend, restore), (silence, unsilence), (hide, show)])
def test_tags_of_somebody_who_is_not_seen_are_not_offered(
    beasts: User, bob: User, out: object, back: object
) -> None:
    assert callable(out)
    assert callable(back)
    post_status(author=bob, text="#bee")
    count()
    find("be")
    out(user=beasts) if out is not hide else hide(beasts)
    assert find("#be") == ["bee"]
    count()
    assert held("be") is None
    assert [tag.name for tag in Tag.objects.filter(uses__gt=0)] == ["bee"]
    back(user=beasts) if back is not show else show(beasts)
    count()
    assert find("#be", 3) == ["berlin", "bergen", "beaver"]
    assert differences() == []


def test_tags_of_what_nobody_may_see_are_never_offered(alice: User, bob: User) -> None:
    for number in range(6):
        text = f"#secret{number}"
        post_status(author=alice, text=text, visibility=Visibility.FOLLOWERS)
        follow_tag(user=bob, name=f"secretly{number}")
    count_tags()
    TAGS.load_all()
    assert find("#secret") == []
    assert held("secret") is None


def test_tags_that_nobody_may_see_any_more_are_not_offered_while_they_rise(bob: User) -> None:
    post_status(author=bob, text="#rising")
    count_tags()
    assert find("ris") == ["rising"]
    suspend(user=bob)
    assert find("ris") == []


def test_many_uses_are_counted_again_when_enough_of_them_have_changed(
    beasts: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tag_uses, "EXACT", 2)
    for expected in ((6, 1), (6, 2), (9, 0)):
        post_status(author=beasts, text="#berlin")
        count()
        tag = Tag.objects.get(name="berlin")
        assert (tag.uses, tag.uncounted) == expected
        assert differences() == []
    post_status(author=beasts, text="#berlin")
    drain()
    count_tags_of.call(beasts.pk)
    count()
    assert uses("berlin") == 10


def test_a_process_may_die_before_a_tag_has_its_place(
    beasts: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    find("be")
    for _ in range(9):
        post_status(author=bob, text="#bear")
    with monkeypatch.context() as patch:
        patch.setattr(lists.Lists, "place", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            count()
    assert held("be") != ["bear", "berlin", "bergen", "beaver"]
    count()
    assert held("be") == ["bear", "berlin", "bergen", "beaver"]


def test_what_is_noted_while_it_is_counted_is_counted_again(
    beasts: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    post_status(author=bob, text="#bear")
    drain()
    counted, meanwhile = tag_uses.counted, iter(["#bear again"])

    def counted_and_then(tag_ids: list[int]) -> dict[int, int]:
        found = counted(tag_ids)
        for text in meanwhile:
            post_status(author=bob, text=text)
            drain()
        return found

    monkeypatch.setattr(tag_uses, "counted", counted_and_then)
    tag_uses.count_noted()
    assert uses("bear") == 2
    tag_uses.count_noted()
    assert uses("bear") == 3


def test_many_tags_are_counted_some_at_a_time(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_uses, "AT_ONCE", 2)
    post_status(author=alice, text=" ".join(f"#{it}" for it in NAMES))
    count()
    assert list(Tag.objects.values_list("uses", flat=True)) == [1] * len(NAMES)
    suspend(user=alice)
    count()
    assert not Tag.objects.filter(uses__gt=0).exists()


def test_wrong_counts_are_found_and_put_right(beasts: User) -> None:
    find("be")
    Tag.objects.filter(name="bear").update(uses=70)
    Status.objects.filter(text__startswith="#berlin").delete()
    found = [it for it in stores() if it.kind == "tag_uses"]
    wrong = list(found[0].differences(list(Tag.objects.all())))
    assert len(wrong) == 2
    for difference in wrong:
        difference.repair()
    assert (uses("bear"), uses("berlin")) == (1, 5)
    assert differences() == []


def test_only_one_counts_at_a_time(beasts: User) -> None:
    post_status(author=beasts, text="#bear")
    drain()
    with tag_uses._alone(wait=0):
        assert tag_uses.count_noted() == 0
    assert tag_uses.count_noted() == 1
    assert tag_uses.count_noted() == 0
