"""Following tags, in SQL and Redis."""

from functools import partial

import pytest
from django.db import connection

from tags import services, store, tasks
from tags.models import Tag, TagFollow
from tags.selectors import followed_tags, tag_named
from tags.services import follow_tag, unfollow_tag
from tests.races import in_threads
from tests.timelines.tagging import assert_sound, at_once, post
from timelines.selectors import home
from users.models import AccountGone, User
from users.services import delete_account
from web.refusals import Refusal


def test_following_twice_and_unfollowing_twice_changes_nothing(bob: User) -> None:
    assert follow_tag(user=bob, name="Tea")
    assert not follow_tag(user=bob, name="TEA")
    assert [tag.name for tag in followed_tags(bob)] == ["tea"]
    assert unfollow_tag(user=bob, name="tEa")
    assert not unfollow_tag(user=bob, name="tea")
    assert followed_tags(bob) == []
    assert not TagFollow.objects.exists()
    assert_sound()


def test_a_tag_can_be_followed_before_anybody_uses_it(alice: User, bob: User) -> None:
    follow_tag(user=bob, name="teatime")
    assert str(Tag.objects.get()) == "#teatime"
    assert home(bob) == []
    post(alice, "#TeaTime")
    assert str(Tag.objects.get()) == "#TeaTime", "as it was written first"
    assert len(home(bob)) == 1


@pytest.mark.parametrize("name", ["", "1", "a b", "#tea", "a" * 101])
def test_what_is_no_tag_can_not_be_followed(bob: User, name: str) -> None:
    with pytest.raises(Refusal, match="A tag has up to 100 letters"):
        follow_tag(user=bob, name=name)
    assert not unfollow_tag(user=bob, name=name)
    assert not Tag.objects.exists()


def test_nobody_follows_more_tags_than_a_home_can_merge(
    bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "MAX_TAGS", 3)
    names = [f"tag{number}" for number in range(8)]

    def follow_one() -> bool:
        try:
            return follow_tag(user=bob, name=names.pop())
        except Refusal as error:
            return error.code != "limit"
        finally:
            connection.close()

    assert sum(in_threads(len(names), follow_one)) == 3, "the others are refused"
    assert len(followed_tags(bob)) == 3
    assert Tag.objects.count() == 3, "a refused follow leaves nothing behind"
    assert_sound()


def test_follows_and_unfollows_at_once_end_the_same_in_both_stores(bob: User) -> None:
    home(bob)
    for _ in range(3):
        at_once(
            *[partial(action, user=bob, name="tea") for action in (follow_tag, unfollow_tag)] * 3
        )
        follows = TagFollow.objects.filter(user=bob).exists()
        assert [tag.name for tag in followed_tags(bob)] == ["tea"] * follows
    assert_sound()


def test_an_account_that_is_gone_follows_nothing(bob: User) -> None:
    User.objects.filter(pk=bob.pk).delete()
    with pytest.raises(AccountGone):
        follow_tag(user=bob, name="tea")
    assert not Tag.objects.exists()


def test_syncing_a_tag_of_somebody_who_is_gone_does_nothing(bob: User) -> None:
    follow_tag(user=bob, name="tea")
    tag = tag_named("tea")
    delete_account(user=bob)
    tasks.sync_tag.call(bob.pk, tag.pk)
    tasks.sync_tag.call(bob.pk, 4711)
    assert store.followed_ids(bob.pk) == []
