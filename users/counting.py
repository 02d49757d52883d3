"""The counters on users: moved by what they count, in the same transaction."""

from typing import Literal

from django.db.models import F

from .models import Follow, User

Counter = Literal["followers_count", "following_count", "statuses_count", "listed_count"]


def count(user_id: int, counter: Counter, change: int) -> bool:
    """False where there is no such account. Locks its row until the transaction ends."""
    return bool(User.objects.filter(pk=user_id).update(**{counter: F(counter) + change}))


def uncount_relations(user: User) -> None:
    """Before an account goes: whoever it followed, listed or was followed by has one less."""
    followers = Follow.objects.filter(followee=user).values("follower_id")
    followees = Follow.objects.filter(follower=user).values("followee_id")
    User.objects.filter(pk__in=followers).update(following_count=F("following_count") - 1)
    User.objects.filter(pk__in=followees).update(followers_count=F("followers_count") - 1)
    for list_ in user.lists.all():
        listed = list_.members.values("user_id")
        User.objects.filter(pk__in=listed).update(listed_count=F("listed_count") - 1)
