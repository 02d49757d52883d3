"""What people do reaches the boards, mostly by tasks that nobody waits for."""

import pytest

from explore import counting, tasks
from explore.selectors import popular, trending_tags
from explore.store import POSTS, TAGS
from redistools import keys
from redistools.client import get_client
from redistools.scripts import Batch
from statuses import tasks as status_tasks
from statuses.models import Status
from statuses.reactions import services as reactions
from statuses.services import delete_status, edit_status, post_status
from statuses.store import find_statuses
from statuses.stored import StoredStatus
from taskqueue.drain import drain
from tests.cast import make_user
from tests.entries import statuses_on
from tests.explore.board import scores
from tests.round_trips import counting_round_trips
from users.models import User
from users.services import restore, suspend


def stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]


def texts(viewer: User | None = None) -> list[str]:
    return [entry.text for entry in statuses_on(popular(viewer))]


def tags() -> dict[str, int]:
    return {tag.written: tag.people for tag in trending_tags(10)}


def test_likes_boosts_and_replies_make_a_post_popular(alice: User, bob: User, carol: User) -> None:
    quiet, liked, loved = (post_status(author=alice, text=it) for it in ("quiet", "liked", "loved"))
    reactions.like(user=bob, status=stored(liked))
    reactions.like(user=bob, status=stored(loved))
    reactions.boost(user=carol, status=stored(loved))
    post_status(author=carol, text="indeed", reply_to=stored(loved).id)
    assert texts() == ["loved"], "nobody waits for likes and replies to be counted"
    drain()
    assert texts() == ["loved", "liked"]
    assert str(quiet.pk) not in scores(POSTS)


def test_running_a_task_twice_counts_once(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="about #tea")
    answer = post_status(author=bob, text="yes, #tea", reply_to=stored(status).id)
    reactions.like(user=bob, status=stored(status))
    reactions.boost(user=bob, status=stored(status))
    boost = Status.objects.get(boost_of=status)
    drain()
    before = scores(POSTS), scores(TAGS)
    assert all(before)
    tasks.count_like.call(bob.pk, status.pk)
    for it in (status, answer):
        status_tasks.follow_up.call(it.pk)
    status_tasks.publish.call(boost.pk, bob.pk, status.pk)
    assert (scores(POSTS), scores(TAGS)) == before


def test_a_like_that_is_taken_back_and_given_again_counts_once(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    reactions.like(user=bob, status=stored(status))
    drain()
    before = scores(POSTS)
    reactions.unlike(user=bob, status_id=status.pk)
    reactions.like(user=bob, status=stored(status))
    drain()
    assert scores(POSTS) == before


def test_a_like_that_is_gone_before_it_is_counted_does_not_count(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    reactions.like(user=bob, status=stored(status))
    reactions.unlike(user=bob, status_id=status.pk)
    drain()
    assert scores(POSTS) == {}


def test_nobody_makes_their_own_posts_popular(alice: User) -> None:
    status = post_status(author=alice, text="look at me")
    reactions.like(user=alice, status=stored(status))
    reactions.boost(user=alice, status=stored(status))
    post_status(author=alice, text="and", reply_to=stored(status).id)
    drain()
    assert scores(POSTS) == {}


def test_boosting_and_liking_a_boost_counts_for_the_original(
    alice: User, bob: User, carol: User
) -> None:
    status = post_status(author=alice, text="hello")
    reactions.boost(user=bob, status=stored(status))
    boost = Status.objects.get(boost_of=status)
    reactions.like(user=carol, status=stored(boost))
    reactions.boost(user=carol, status=stored(boost))
    drain()
    assert set(scores(POSTS)) == {str(status.pk)}


def test_what_was_deleted_before_it_is_counted_does_not_count(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="hello")
    answer = post_status(author=bob, text="about #tea", reply_to=stored(status).id)
    delete_status(status=answer, by=bob)
    reactions.like(user=bob, status=stored(status))
    delete_status(status=status, by=alice)
    drain()
    assert scores(POSTS) == scores(TAGS) == {}


def test_a_deleted_post_is_gone_at_once_and_leaves_the_board_when_it_is_read(
    alice: User, bob: User, carol: User
) -> None:
    first, second = (post_status(author=alice, text=text) for text in ("first", "second"))
    for status in (first, second):
        reactions.like(user=bob, status=stored(status))
    reactions.like(user=carol, status=stored(second))
    drain()
    delete_status(status=second, by=alice)
    assert texts() == ["first"]
    assert set(scores(POSTS)) == {str(first.pk)}
    assert not get_client().exists(f"{keys.trending_people('posts')}{second.pk}")


def test_posts_of_suspended_people_are_hidden_and_come_back(alice: User, bob: User) -> None:
    reactions.like(user=bob, status=stored(post_status(author=alice, text="hello")))
    drain()
    suspend(user=alice)
    assert texts() == texts(bob) == []
    assert len(scores(POSTS)) == 1, "hidden, not gone"
    restore(user=alice)
    assert texts() == texts(bob) == ["hello"]


def test_tags_are_counted_by_people_and_in_any_case_and_width(
    alice: User, bob: User, carol: User
) -> None:
    for author, text in (
        (alice, "#Tea and #cake"),
        (bob, "#\uff54\uff45\uff41!"),
        (carol, "#TEA #tea"),
    ):
        post_status(author=author, text=text)
        drain()
    assert tags() == {"TEA": 3, "cake": 1}
    assert [tag.name for tag in trending_tags(10)] == ["tea", "cake"]


def test_one_person_can_not_make_a_tag_trend(alice: User, bob: User, carol: User) -> None:
    for n in range(10):
        post_status(author=alice, text=f"number {n}: #spam")
    for author in (bob, carol):
        post_status(author=author, text="#tea")
    drain()
    assert list(tags()) == ["tea", "spam"]


def test_only_the_first_tags_of_a_post_count(alice: User) -> None:
    post_status(author=alice, text="#a #b #A #c #d #e #f #g")
    drain()
    assert set(scores(TAGS)) == set("abcde")


def test_a_tag_that_is_too_long_does_not_count(alice: User) -> None:
    post_status(author=alice, text="#" + "x" * 101 + " #" + "y" * 100)
    drain()
    assert list(scores(TAGS)) == ["y" * 100]


def test_a_tag_that_an_edit_adds_counts(alice: User) -> None:
    status = post_status(author=alice, text="about tea")
    drain()
    edit_status(status=status, by=alice, text="about #tea")
    drain()
    assert tags() == {"tea": 1}


def test_what_a_boost_says_again_is_not_said_by_the_booster(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="about #tea")
    reactions.boost(user=bob, status=stored(status))
    drain()
    assert tags() == {"tea": 1}


def test_a_like_takes_no_round_trip_more(alice: User, bob: User) -> None:
    """The task is queued along with the copies."""
    statuses = [stored(post_status(author=alice, text=f"{n}")) for n in range(2)]
    reactions.like(user=bob, status=statuses[0])
    with counting_round_trips() as trips:
        reactions.like(user=bob, status=statuses[1])
    assert len(trips) == 2, "its id, and the copies"


def test_counting_takes_a_few_round_trips(alice: User, bob: User) -> None:
    status = post_status(author=alice, text="#a #b #c")
    answer = post_status(author=bob, text="#a #b #c", reply_to=stored(status).id)
    said = stored(answer)
    batch = Batch(get_client())
    with counting_round_trips() as trips:
        counting.count_status(batch, said)
        batch.run()
    assert len(trips) <= 2
    assert len(scores(TAGS)) == 3


@pytest.mark.usefixtures("site_on_a_cluster")
def test_a_cluster_counts_too(alice: User, bob: User) -> None:
    fans = [make_user(f"fan{number}") for number in range(3)]
    statuses = [stored(post_status(author=alice, text=f"{n} #tea #n{n}x")) for n in range(3)]
    for number, status in enumerate(statuses):
        for fan in fans[number:]:
            reactions.like(user=fan, status=status)
    drain()
    assert texts(bob) == ["0 #tea #n0x", "1 #tea #n1x", "2 #tea #n2x"]
    assert tags()["tea"] == 1
    delete_status(status=Status.objects.get(pk=statuses[0].id), by=alice)
    assert len(texts(bob)) == 2
