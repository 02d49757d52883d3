"""Who follows whom and what, and who is in whose list."""

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import rule

from lists.services import add_to_list, create_list, delete_list, remove_from_list
from relations.models import Follow, FollowRequest
from relations.services import (
    accept,
    follow,
    hide_boosts,
    refuse,
    remove_follower,
    unfollow,
)
from tags.services import follow_tag, unfollow_tag
from timelines import selectors

from .life import Life, dying_after_the_commit, numbers, people, pick, tags


class Relating(Life):
    @rule(one=people, number=numbers, dies=st.booleans())
    def follow(self, one: int, number: int, dies: bool = False) -> None:
        """Or ask for it, if the account is private."""
        follower = self.users[one]
        known = Follow.objects.filter(follower=follower).values_list("followee_id", flat=True)
        others = [user for user in self.users if user.pk not in {*known, follower.pk}]
        with dying_after_the_commit(dies):
            for other in pick(number, others):
                follow(follower=follower, followee=other)

    @rule(one=people, number=numbers, dies=st.booleans())
    def unfollow(self, one: int, number: int, dies: bool = False) -> None:
        follows = Follow.objects.filter(follower=self.users[one]).select_related("followee")
        with dying_after_the_commit(dies):
            for edge in pick(number, follows):
                unfollow(follower=self.users[one], followee=edge.followee)

    @rule(one=people, number=numbers, dies=st.booleans())
    def remove_a_follower(self, one: int, number: int, dies: bool) -> None:
        follows = Follow.objects.filter(followee=self.users[one]).select_related("follower")
        with dying_after_the_commit(dies):
            for edge in pick(number, follows):
                remove_follower(follower=edge.follower, followee=self.users[one])

    @rule(
        number=numbers,
        answer=st.sampled_from([accept, accept, refuse, unfollow]),
        dies=st.booleans(),
    )
    def answer_a_request(self, number: int, answer: Callable[..., bool], dies: bool) -> None:
        """Or take it back."""
        requests = FollowRequest.objects.select_related("follower", "followee")
        with dying_after_the_commit(dies):
            for request in pick(number, requests):
                answer(follower=request.follower, followee=request.followee)

    @rule(one=people, number=numbers, dies=st.booleans(), hidden=st.booleans())
    def hide_boosts(self, one: int, number: int, dies: bool, hidden: bool) -> None:
        follows = Follow.objects.filter(follower=self.users[one]).select_related("followee")
        with dying_after_the_commit(dies):
            for edge in pick(number, follows):
                hide_boosts(follower=self.users[one], followee=edge.followee, hidden=hidden)

    @rule(who=people, tag=tags, dies=st.booleans())
    def follow_a_tag(self, who: int, tag: str, dies: bool = False) -> None:
        with dying_after_the_commit(dies):
            follow_tag(user=self.users[who], name=tag)

    @rule(who=people, tag=tags, dies=st.booleans())
    def unfollow_a_tag(self, who: int, tag: str, dies: bool) -> None:
        with dying_after_the_commit(dies):
            unfollow_tag(user=self.users[who], name=tag)

    @rule(owner=people, other=people, dies=st.booleans())
    def list_somebody(self, owner: int, other: int, dies: bool = False) -> None:
        user = self.users[owner]
        with dying_after_the_commit(dies):
            list_ = user.lists.first() or create_list(owner=user, name="all")
            add_to_list(list_=list_, user=self.users[other])
            selectors.list_timeline(list_, limit=3)

    @rule(owner=people, number=numbers)
    def unlist_somebody(self, owner: int, number: int) -> None:
        for list_ in self.users[owner].lists.all():
            for member in pick(number, list_.members.select_related("user")):
                remove_from_list(list_=list_, user=member.user)

    @rule(owner=people)
    def delete_a_list(self, owner: int) -> None:
        for list_ in self.users[owner].lists.all():
            delete_list(list_=list_)
