"""The rows of tags and mentions say what texts say, whatever happens and however often."""

import io
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings as site
from django.core.management import call_command
from django.utils import timezone

from redistools import keys
from redistools.client import get_client
from statuses import tasks as status_tasks
from statuses.models import Mention, Status, Tagging
from statuses.reactions.services import boost
from statuses.selectors import show
from statuses.services import delete_status, edit_status, post_status
from statuses.serving_copy import STATUSES
from statuses.store import find_statuses, refresh_statuses
from statuses.stored import StoredStatus
from tags.models import Tag
from taskqueue.drain import drain
from tests.cast import make_user
from tests.timelines.tagging import assert_sound, at_once, post
from timelines import selectors, tasks
from timelines.index import copies as index_copies
from upkeep.checking import check
from users.audience import Visibility
from users.models import User
from users.services import delete_account


def tags_of(status: Status) -> set[str]:
    return set(Tag.objects.filter(tagging__status=status).values_list("name", flat=True))


def named_in(status: Status) -> set[str]:
    return set(User.objects.filter(mentions__status=status).values_list("username", flat=True))


def stored(status: Status) -> StoredStatus:
    return find_statuses([status.pk])[status.pk]


def test_a_status_has_a_row_for_each_tag_and_everybody_it_names(alice: User, bob: User) -> None:
    status = post(alice, "#Tea #tea #\uff34\uff25\uff21 #茶 with @bob, @BOB, @alice and @nobody")
    assert tags_of(status) == {"tea", "茶"}
    assert named_in(status) == {"bob"}, "an author does not mention herself"
    assert Tagging.objects.count() == 2
    assert Mention.objects.get().author_id == alice.pk
    assert_sound()


def test_a_tag_is_shown_as_it_was_written_first(alice: User) -> None:
    post(alice, "#TeaTime")
    post(alice, "#teatime")
    assert str(Tag.objects.get()) == "#TeaTime"


def test_the_person_answered_is_mentioned_without_being_named(
    alice: User, bob: User, carol: User
) -> None:
    question = post(alice, "any tea?")
    answer = post(bob, "yes, says @carol", reply_to=stored(question).id)
    assert named_in(answer) == {"alice", "carol"}
    own = post(alice, "thanks", reply_to=stored(question).id)
    assert named_in(own) == set()


def test_a_boost_has_neither_tags_nor_mentions(alice: User, bob: User) -> None:
    status = post(alice, "#tea with @bob")
    boost(user=bob, status=stored(status))
    drain()
    assert Tagging.objects.get().status_id == status.pk
    assert Mention.objects.get().status_id == status.pk
    assert_sound()


def test_indexing_twice_changes_nothing(alice: User, bob: User) -> None:
    status = post(alice, "#tea with @bob")
    before = [*Tagging.objects.values(), *Mention.objects.values()]
    for _ in range(2):
        status_tasks.follow_up.call(status.pk)
    assert [*Tagging.objects.values(), *Mention.objects.values()] == before
    assert_sound()


def test_an_edit_changes_the_rows(alice: User, bob: User, carol: User) -> None:
    status = post(alice, "#tea #cake with @bob")
    edit_status(status=status, by=alice, text="#cake #coffee with @carol")
    drain()
    assert tags_of(status) == {"cake", "coffee"}
    assert named_in(status) == {"carol"}
    assert_sound()


def test_a_status_that_was_deleted_before_it_was_indexed_has_no_rows(
    alice: User, bob: User
) -> None:
    status = post_status(author=alice, text="#tea with @bob")
    delete_status(status=status, by=alice)
    status_tasks.follow_up.call(status.pk)
    drain()
    assert not Tagging.objects.exists()
    assert not Mention.objects.exists()
    assert_sound()


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`during(module, "function", action)`: the action runs once, right after the function."""

    def arrange(module: object, name: str, action: Callable[[], object]) -> None:
        real, waiting = getattr(module, name), [action]

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            result = real(*args, **kwargs)
            while waiting:
                waiting.pop()()
            return result

        monkeypatch.setattr(module, name, wrapper)

    return arrange


def read_everything(*users: User) -> None:
    """So that Redis knows the copies, and has to keep them right."""
    for user in users:
        selectors.home(user)
        selectors.mentions(user)
        selectors.addressees(user)
    for tag in Tag.objects.all():
        selectors.tag_timeline(tag)


def test_a_status_deleted_between_sql_and_redis_is_in_no_copy(
    alice: User, bob: User, during: Callable[..., None]
) -> None:
    """Its rows are written, its copies not yet."""
    post(alice, "#tea with @bob")
    read_everything(alice, bob)
    status = post_status(author=alice, text="more #tea with @bob")
    during(index_copies, "_write_rows", lambda: delete_status(status=status, by=alice))
    drain()
    assert keys_with(status.pk) == []
    assert_sound()


def keys_with(status_id: int) -> list[str]:
    client: Any = get_client()
    names = [
        *(keys.mentions(user.pk) for user in User.objects.all()),
        *(f"{keys.tags(n)}{tag.pk}" for n in range(site.PARTITIONS) for tag in Tag.objects.all()),
    ]
    return [name for name in names if client.zscore(name, status_id) is not None]


def test_an_edit_between_sql_and_redis_has_the_last_word(
    alice: User, bob: User, during: Callable[..., None]
) -> None:
    post(alice, "#tea #cake with @bob")
    read_everything(alice, bob)
    status = post_status(author=alice, text="#tea with @bob")

    def edit() -> None:
        edit_status(status=status, by=alice, text="#cake")
        status_tasks.follow_up.call(status.pk)

    during(index_copies, "_write_rows", edit)
    drain()
    assert tags_of(status) == {"cake"}
    assert_sound()


def test_many_may_index_a_status_and_use_a_new_tag_at_once(alice: User, bob: User) -> None:
    statuses = [post_status(author=alice, text=f"#new #{n} #tag{n} @bob") for n in range(3)]
    at_once(*(partial(tasks.index.call, status.pk) for status in statuses for _ in range(2)))
    assert Tag.objects.filter(name="new").count() == 1
    assert Tagging.objects.count() == 6
    assert Mention.objects.count() == 3
    assert_sound()


def test_deleting_and_indexing_at_once_leaves_nothing(alice: User, bob: User) -> None:
    post(alice, "#tea with @bob")
    read_everything(alice, bob)
    for _ in range(5):
        status = post_status(author=alice, text="more #tea with @bob")
        at_once(
            partial(delete_status, status=status, by=alice),
            partial(status_tasks.follow_up.call, status.pk),
        )
        drain()
        assert keys_with(status.pk) == []
    assert Tagging.objects.count() == Mention.objects.count() == 1
    assert_sound()


def test_two_edits_indexed_at_once_end_with_the_last_text(alice: User, bob: User) -> None:
    status = post(alice, "#tea with @bob")
    read_everything(alice, bob)
    for text in ("#cake", "#tea with @bob", "#coffee and #cake"):
        edit_status(status=status, by=alice, text=text)
        at_once(*[partial(status_tasks.follow_up.call, status.pk)] * 2)
    assert tags_of(status) == {"coffee", "cake"}
    assert_sound()


def test_an_account_that_is_gone_is_not_mentioned(alice: User, bob: User, carol: User) -> None:
    question = post(carol, "any tea?")
    status = post_status(author=alice, text="@bob and @carol?", reply_to=stored(question).id)
    delete_account(user=bob)
    delete_account(user=carol)
    drain()
    assert named_in(status) == set()
    assert_sound()


def test_an_account_that_takes_a_name_later_is_not_meant(alice: User) -> None:
    status = post(alice, "does @dave know?")
    make_user("dave", date_joined=status.created_at + timedelta(minutes=1))
    refresh_statuses([status.pk])
    assert_sound()
    assert named_in(status) == set()
    edit_status(status=status, by=alice, text="surely @dave knows")
    Status.objects.filter(pk=status.pk).update(edited_at=timezone.now() + timedelta(hours=1))
    status_tasks.publish_edit.call(status.pk, alice.pk)
    drain()
    assert named_in(status) == {"dave"}
    assert_sound()


def test_who_takes_the_name_of_a_deleted_account_does_not_see_what_was_for_it(alice: User) -> None:
    dave = make_user("dave")
    secret = post_status(author=alice, text="@dave a secret", visibility=Visibility.MENTIONED)
    drain()
    assert show([secret.pk], viewer=dave).statuses
    delete_account(user=dave)
    drain()
    other = make_user("dave", date_joined=secret.created_at + timedelta(minutes=1))
    refresh_statuses([secret.pk])
    assert show([secret.pk], viewer=other).statuses == []
    assert_sound()


def lose_a_tag(status: Status, _carol: User) -> None:
    Tagging.objects.filter(status=status).delete()


def gain_a_tag(status: Status, _carol: User) -> None:
    Tagging.objects.create(status=status, tag=Tag.objects.create(name="cake", written="Cake"))


def lose_a_mention(status: Status, _carol: User) -> None:
    Mention.objects.filter(status=status).delete()


def gain_a_mention(status: Status, carol: User) -> None:
    Mention.objects.create(status=status, user=carol, author_id=status.author_id)


@pytest.mark.parametrize("damage", [lose_a_tag, gain_a_tag, lose_a_mention, gain_a_mention])
def test_rows_that_differ_from_the_text_are_found_and_repaired(
    alice: User, bob: User, carol: User, damage: Callable[[Status, User], None]
) -> None:
    status = post(alice, "#tea with @bob")
    read_everything(alice, bob, carol)
    damage(status, carol)
    (difference,) = check(STATUSES, [status])
    assert str(difference).startswith(f"tags and mentions of status {status.pk}: the ")
    difference.repair()
    assert tags_of(status) == {"tea"}
    assert named_in(status) == {"bob"}
    # What Redis read while the rows were wrong is another difference, and repaired as such.
    call_command("check_timelines", "--repair", stdout=io.StringIO())
    assert_sound()


def test_a_lost_mention_comes_back_to_its_reader(alice: User, bob: User) -> None:
    """Also in Redis, which had loaded the set without it."""
    status = post(alice, "#tea with @bob")
    Mention.objects.all().delete()
    Tagging.objects.all().delete()
    read_everything(alice, bob)
    assert selectors.mentions(bob) == []
    call_command("rebuild_timelines", stdout=io.StringIO())
    assert [it.id for it in selectors.mentions(bob)] == [status.pk]
    assert [it.id for it in selectors.tag_timeline(Tag.objects.get())] == [status.pk]
    assert_sound()
